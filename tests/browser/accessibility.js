// Accessibility checks of a page: names, ids, references, heading levels, alternative texts, contrast.
// Returns a list of problems.
() => {
  const problems = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  for (const each of all("input:not([type=hidden]), select, textarea, button, a, summary")) {
    const name = (each.labels && each.labels.length) || each.getAttribute("aria-label") || each.textContent.trim();
    if (!name) problems.push(`no name: ${each.outerHTML}`);
  }
  const ids = all("[id]").map((each) => each.id);
  problems.push(...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `duplicate id: ${id}`));
  for (const name of ["aria-labelledby", "aria-describedby", "for"]) {
    for (const each of all(`[${name}]`)) {
      for (const id of each.getAttribute(name).split(" ")) {
        if (!document.getElementById(id)) problems.push(`${name} refers to a missing id: ${id}`);
      }
    }
  }
  const levels = all("h1, h2, h3, h4").map((each) => Number(each.tagName[1]));
  levels.forEach((level, index) => {
    if (index && level > levels[index - 1] + 1) problems.push(`skipped heading level: ${levels}`);
  });
  for (const each of all("img, svg:not([aria-hidden])")) {
    if (!each.getAttribute("alt") && !each.getAttribute("aria-label")) problems.push(`image without alternative text`);
  }

  // Contrast ratio as in WCAG 2.
  const luminance = (color) => {
    const [r, g, b] = color.match(/[\d.]+/g).map((each) => each / 255);
    const linear = (each) => (each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  };
  const background = (each) => {
    for (; each; each = each.parentElement) {
      const color = getComputedStyle(each).backgroundColor;
      if (color !== "rgba(0, 0, 0, 0)") return color;
    }
    return "rgb(255, 255, 255)";
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.data.trim();
    const parent = texts.currentNode.parentElement;
    if (!text || parent.closest("svg, option, .hidden, .skip, script")) continue;
    const levels = [luminance(getComputedStyle(parent).color), luminance(background(parent))].sort((x, y) => y - x);
    const ratio = (levels[0] + 0.05) / (levels[1] + 0.05);
    if (ratio < 4.5) problems.push(`contrast ${ratio.toFixed(2)}: ${text.slice(0, 40)}`);
  }
  return problems;
}
