"""The Clusters page in the browser: from a file to ad groups, by mouse, by keyboard and without scripts."""

import pytest

from accessibility import assert_accessible

EXPORT = (
    "Top queries,Clicks,Impressions,CTR,Position\n"
    "red shoes,50,1000,5%,3.1\nshoes red,20,500,4%,4\nred shoe,5,80,1%,9\nblue hat,3,90,1%,8\n"
)


@pytest.fixture
def clusters(page, site, keyword_list):
    page.goto(site.url("/clusters", list=keyword_list, measure="static"))
    return page


def groups(page):
    return page.locator(".groups bdi").all_text_contents()


def second_group(page):
    return page.locator(".groups li").nth(1)


def members(page):
    return page.locator("#group tbody tr[data-row] th bdi").all_text_contents()


def set_threshold(page, value):
    page.locator("#threshold").fill(value)
    page.wait_for_url(f"**threshold={value}**")


def test_from_a_search_console_export_to_ad_groups(page, site, tmp_path):
    file = tmp_path / "Queries.csv"
    file.write_text(EXPORT)
    page.goto(site.url("/clusters"))
    page.get_by_text("Upload or paste a list").click()
    page.get_by_label("File", exact=True).set_input_files(file)
    page.locator("#upload-measure").select_option("static")
    page.get_by_role("button", name="Group them").click()
    page.wait_for_url("**/clusters?list=*")
    assert "count = Impressions" in page.locator(".source").text_content()
    assert groups(page) == ["red shoes"]
    assert sorted(members(page)) == ["red shoe", "shoes red"]
    with page.expect_download() as download:
        page.get_by_role("link", name="Google Ads Editor").click()
    rows = download.value.path().read_text().splitlines()
    assert rows[0] == "Ad group,Keyword,Match type"
    assert {"red shoes,red shoe,Broad", "blue hat,blue hat,Broad"} < set(rows)


def test_the_threshold_regroups_by_keyboard(clusters):
    before = groups(clusters)
    assert before[:2] == ["garden hose", "apple pie"]
    clusters.locator("#threshold").focus()
    clusters.keyboard.press("End")
    clusters.wait_for_url("**threshold=1**")
    assert clusters.locator("#threshold-shown").text_content() == "1.00"
    second_group(clusters).wait_for(state="detached")
    assert clusters.locator(":focus").get_attribute("id") == "threshold"
    clusters.keyboard.press("Home")
    clusters.wait_for_url("**threshold=0.42**")
    second_group(clusters).wait_for()
    assert clusters.locator(".histogram rect:not(.above)").count() == 0


def test_groups_are_found_and_opened_by_keyboard(clusters):
    clusters.locator("#find").focus()
    clusters.keyboard.type("pies")
    clusters.wait_for_url("**find=pies**")
    second_group(clusters).wait_for(state="detached")
    assert groups(clusters) == ["apple pie"]
    assert clusters.locator(":focus").get_attribute("id") == "find"
    clusters.locator("#find").fill("")
    second_group(clusters).wait_for()
    clusters.locator("#find").press("ArrowDown")
    clusters.keyboard.press("ArrowDown")
    clusters.keyboard.press("Enter")
    clusters.wait_for_url("**group=apple*")
    assert "apple pie recipe" in members(clusters)
    assert clusters.locator(":focus").get_attribute("aria-current") == "true"


def test_a_keyword_is_explained_moved_removed_and_both_are_undone(clusters, open_page, site, keyword_list):
    clusters.get_by_role("link", name="Why is “garden hoses”").click()
    clusters.locator(".members .explained").wait_for()
    assert "the shares sum to the score" in clusters.locator(".members .explained").text_content()
    assert_accessible(clusters, "an open explanation")
    clusters.get_by_role("link", name="Move… “garden hoses”").click()
    assert clusters.locator(":focus").get_attribute("id") == "to"
    clusters.keyboard.type("apple pie")
    assert_accessible(clusters, "moving a keyword")
    clusters.keyboard.press("Enter")
    clusters.get_by_text("1 change by hand").wait_for()
    assert "garden hoses" not in members(clusters)
    clusters.get_by_role("button", name="Remove “hose for gardens”").click()
    clusters.get_by_text("2 changes by hand").wait_for()
    assert groups(clusters)[0] == "apple pie"
    other = open_page()
    other.goto(site.url("/clusters", list=keyword_list, measure="static", group="apple pie", threshold="0.9"))
    assert "garden hoses" in members(other)
    for left in ("1 change by hand", "No changes by hand"):
        clusters.get_by_role("button", name="Undo").click()
        clusters.get_by_text(left).wait_for()
    assert sorted(members(clusters)) == ["garden hoses", "hose for gardens"]


def test_a_wrong_target_is_said_in_place(open_page, site, keyword_list):
    page = open_page(expected_statuses=(422,))
    page.goto(site.url("/clusters", list=keyword_list, measure="static"))
    page.get_by_role("link", name="Move… “garden hoses”").click()
    page.keyboard.type("no such keyword")
    page.keyboard.press("Enter")
    page.locator("#summary .problem").wait_for()
    assert "is not a keyword of this list" in page.locator("#summary .problem").text_content()


def test_twenty_pairs_near_the_threshold_are_judged(clusters):
    set_threshold(clusters, "0.6")
    clusters.get_by_role("button", name="Judge 20 near the threshold").click()
    clusters.wait_for_url("**/judge/task?name=near*")
    assert "near 0.60 by static, Queries.csv" in clusters.locator("h1").text_content()


def test_everything_works_without_scripts(open_page, site, keyword_list):
    page = open_page(java_script_enabled=False)
    page.goto(site.url("/clusters", list=keyword_list, measure="static"))
    page.get_by_role("link", name="apple pie").first.click()
    assert "apple pie recipe" in members(page)
    page.get_by_role("link", name="Move… “apple pie recipe”").click()
    page.locator("#to").fill("java island")
    page.get_by_role("button", name="Move", exact=True).click()
    assert "apple pie recipe" not in members(page)
    page.get_by_role("button", name="Undo").click()
    assert "apple pie recipe" in members(page)
    page.locator("#find").fill("java")
    page.get_by_role("button", name="Find").click()
    assert groups(page) == ["java island"]


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(page, site, tmp_path):
    file = tmp_path / "large.txt"
    file.write_bytes(b"a keyword\n" * 2_100_000)
    page.goto(site.url("/clusters"))
    page.get_by_text("Upload or paste a list").click()
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Group them").click()
    assert "at most 20.0 MB" in page.locator("#upload-problem").text_content()
