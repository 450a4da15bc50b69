"""HTML that tries to run, to lead away, or to have something fetched. `EVIL` is where it would go; nothing may come there."""

EVIL = "http://evil.invalid"
HOSTILE = {
    "scripts": """<script>parent.hit = 1</script><script src=EVIL/s.js></script>
        <scr<script>ipt>parent.hit = 1</scr</script>ipt>""",
    "handlers": """<body onload='parent.hit=1' background=EVIL/b.png><p onmouseover=parent.hit=1 onfocus=parent.hit=1 tabindex=0
        autofocus>x</p><img src=x onerror=parent.hit=1><details open ontoggle=parent.hit=1><summary>s</summary></details>""",
    "addresses": """<a href='javascript:parent.hit=1'>a</a><a href='java&#x09;script:parent.hit=1'>b</a><a href=EVIL/a>c</a>
        <a href=data:text/html,<script>parent.hit=1</script>>d</a><a href=# ping=EVIL/ping>e</a><a href=/studies/>f</a>""",
    "svg": """<svg onload=parent.hit=1><script>parent.hit=1</script><image href=EVIL/i.png /><use href=EVIL/u.svg#x />
        <foreignObject><img src=EVIL/f.png></foreignObject></svg><math><mtext><img src=EVIL/m.png onerror=parent.hit=1></math>""",
    "heads": """<head><meta http-equiv=refresh content='0;url=EVIL/refresh'><base href=EVIL/ target=_top>
        <link rel=stylesheet href=EVIL/l.css><link rel=prefetch href=EVIL/p><link rel=dns-prefetch href=EVIL>
        <link rel=icon href=EVIL/i.ico><meta http-equiv=set-cookie content=a=b></head><body>x""",
    "styles": """<style>@import 'EVIL/i.css'; @font-face {font-family:e;src:url(EVIL/f.woff)} *{font-family:e;
        background:url(EVIL/u.png)}</style><p style='background:url(EVIL/p.png);position:fixed;inset:0'>x</p>
        <table background=EVIL/t.png><tr><td background=EVIL/d.png>x</table>""",
    "forms": """<form action=EVIL/form id=f><input name=a autofocus><button>go</button></form>
        <button form=f formaction=EVIL/b>x</button><input type=image src=EVIL/in.png><isindex action=EVIL>""",
    "frames": """<iframe src=EVIL/frame></iframe><iframe srcdoc='<script>top.hit=1</script><img src=EVIL/n.png>'></iframe>
        <object data=EVIL/o></object><embed src=EVIL/e><frameset><frame src=EVIL/fr></frameset><applet code=EVIL/x>""",
    "media": """<video src=EVIL/v.mp4 poster=EVIL/p.png autoplay></video><audio src=EVIL/a.mp3 autoplay></audio>
        <picture><source srcset=EVIL/s.png><img srcset='EVIL/1.png 1x' src=EVIL/i.png lowsrc=EVIL/l.png></picture>
        <img src=//evil.invalid/r.png><img src=&#104;ttp://evil.invalid/e.png><img src='/api/v1/users/'>""",
    "breakouts": """</iframe><script>parent.hit=1</script>"><script>top.hit=1</script>&quot;&gt;&lt;script&gt;hit=1&lt;/script&gt;
        <!--><img src=EVIL/c.png onerror=parent.hit=1>--><![CDATA[<img src=EVIL/cd.png>]]>
        <noscript><p title="</noscript><img src=EVIL/ns.png onerror=parent.hit=1>"></noscript>
        <textarea></textarea><img src=EVIL/ta.png></textarea><template><img src=EVIL/te.png></template>
        <img alt="&quot;><img src=EVIL/alt.png onerror=parent.hit=1>"><plaintext><img src=EVIL/pl.png>""",
}


def pages() -> dict[str, str]:
    return {name: f"<p>Owls of {name}</p>{html}".replace("EVIL", EVIL) for name, html in HOSTILE.items()}
