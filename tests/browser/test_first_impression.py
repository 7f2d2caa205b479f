"""Examples, earlier queries, arrow keys, sorting, two measures side by side: by mouse and by keyboard."""

from accessibility import assert_accessible

FOCUSED = ":focus"


def test_back_returns_to_earlier_queries(page, site):
    page.goto(site.url("/"))
    field = page.locator("#q")
    field.press_sequentially("space explor", delay=20)
    page.locator(".suggestions a.query", has_text="NASA").wait_for()
    field.press("Enter")
    entries = page.evaluate("history.length")
    field.fill("java island")
    page.locator(".suggestions a.query", has_text="Bali").wait_for()
    assert page.evaluate("history.length") == entries + 1
    page.go_back()
    page.locator(".suggestions a.query", has_text="NASA").wait_for()
    assert field.input_value() == "space explor"
    page.go_back()
    page.locator("#results", has_text="For example").wait_for()
    assert field.input_value() == ""
    page.go_forward()
    page.go_forward()
    page.locator(".suggestions a.query", has_text="Bali").wait_for()
    assert field.input_value() == "java island"


def test_suggestions_are_reached_opened_and_asked_by_keys(page, site):
    page.goto(site.url("/", q="space exploration"))
    assert "move between the suggestions" in page.locator(".arrow-keys").inner_text()
    queries = page.locator(".suggestions a.query").all_text_contents()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.locator(FOCUSED).text_content() == queries[1]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.locator(".suggestions li:nth-child(2) .terms").wait_for()
    assert_accessible(page, "an open explanation")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.locator(FOCUSED).get_attribute("id") == "q"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=*")
    assert page.locator("#q").input_value() == queries[0]


def test_documents_are_reached_by_keys(page, site):
    page.goto(site.url("/search", q="space exploration"))
    page.keyboard.press("ArrowDown")
    assert page.locator(FOCUSED).get_attribute("href").startswith("https://example.org/")


def test_examples_are_asked_by_a_click(page, site):
    page.goto(site.url("/"))
    example = page.locator("#results a").first
    text = example.inner_text()
    assert " " in text
    example.click()
    page.locator(".suggestions li").first.wait_for()
    assert page.locator("#q").input_value() == text
    page.goto(site.url("/compare"))
    page.locator(".examples a").first.click()
    page.locator(".comparison").wait_for()
    assert text == page.locator("#a").input_value()


def test_measures_are_sorted_and_explained_in_place(page, site):
    page.goto(site.url("/compare", a="space exploration", b="Space travel"))
    page.get_by_role("button", name="Score").click()
    scores = page.locator("tr[data-row]").evaluate_all("rows => rows.map(row => Number(row.dataset.score))")
    assert scores == sorted(scores, reverse=True)
    assert page.locator("tr.family").evaluate_all("rows => rows.every(row => row.hidden)")
    row = page.locator("tr[data-measure=jaccard]")
    row.locator("a.why").click()
    page.locator("tr.opened .terms").wait_for()
    assert_accessible(page, "an open row")
    page.get_by_role("button", name="Compares").focus()
    page.keyboard.press("Enter")
    assert page.locator("th[aria-sort=ascending]").inner_text() == "Compares"
    assert page.locator("tr.family").first.inner_text().startswith("Meaning")
    assert row.evaluate("row => row.nextElementSibling.className") == "opened"  # it moved along
    page.reload()
    assert page.locator("tr[data-row]").first.get_attribute("data-measure") == "hybrid"
    page.locator("tr[data-row] a.why").first.focus()
    page.keyboard.press("ArrowDown")
    assert page.locator(f"tr[data-row]:nth-of-type(3) {FOCUSED}").count() == 1


def test_a_second_measure_is_shown_beside_the_first(open_page, page, site):
    page.goto(site.url("/", q="space exploration"))
    page.locator("#versus").select_option("edit")
    page.locator(".beside").wait_for()
    assert page.locator(".beside h2").all_text_contents() == ["hybrid", "edit"]
    marks = page.locator(".beside section:nth-child(2) .change").all_inner_texts()
    assert len(marks) == page.locator(".beside section:nth-child(2) li").count()
    assert {"+ new"} & set(marks)
    assert "10 by edit beside them" in page.locator("#status").inner_text()
    shown = page.url
    page.go_back()
    page.locator(".beside").wait_for(state="detached")
    without = open_page(java_script_enabled=False)
    without.goto(shown)
    assert without.locator(".beside .change").first.is_visible()
    assert without.locator(".arrow-keys").is_hidden()


def test_an_unknown_address_has_navigation(open_page, site):
    page = open_page(expected_statuses=(404,))
    page.goto(site.url("/nowhere"))
    assert "There is no page /nowhere" in page.locator(".problem").inner_text()
    page.get_by_role("navigation").get_by_role("link", name="Compare").click()
    assert page.locator("h1").inner_text() == "Compare two texts"


def test_measures_that_are_not_built_cannot_be_chosen(page, site):
    page.goto(site.url("/"))
    others = page.locator("#measure optgroup option")
    assert others.count() > 5
    assert others.evaluate_all("all => all.every(each => each.disabled)")
    assert "querykin build --measures" in page.locator("#measure optgroup").first.get_attribute("label")
