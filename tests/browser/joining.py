"""What a worker does between the invitation and the first item."""


def read_instructions(page) -> None:
    """Close them: before the first answer they open by themselves, where there are scripts."""
    page.wait_for_selector("form.item")
    page.wait_for_load_state()  # its script has run
    close = page.locator("#instructions[open] form.head button")
    if close.count():
        close.click()


def ready_to_judge(page) -> None:
    page.wait_for_selector("form.item")
    page.wait_for_load_state()  # its script has run
    page.wait_for_timeout(300)  # a key pressed sooner counts as meant for the page before
