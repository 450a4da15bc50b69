// Marks a document in every ranking beside that which the pointer or the focus is on.

function mark({ target }) {
  const docno = target.closest?.("[data-document]")?.dataset.document;
  const cells = [...document.querySelectorAll("[data-document]")];
  const same = cells.filter((cell) => cell.dataset.document === docno);
  for (const cell of cells) cell.classList.toggle("same-document", same.length > 1 && same.includes(cell));
}

for (const event of ["pointerover", "focusin"]) document.addEventListener(event, mark);
