// What would keep somebody from reading a page or walking through it? A list of sentences, empty when all is well.
() => {
  const wrong = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  for (const each of all("input:not([type=hidden]), select, textarea, button, a, summary")) {
    const named = (each.labels && each.labels.length) || each.getAttribute("aria-label") || each.textContent.trim();
    if (!named) wrong.push(`no name: ${each.outerHTML}`);
  }
  const ids = all("[id]").map((each) => each.id);
  wrong.push(...ids.filter((id, place) => ids.indexOf(id) !== place).map((id) => `id twice: ${id}`));
  for (const name of ["aria-labelledby", "aria-describedby", "for"]) {
    for (const each of all(`[${name}]`)) {
      for (const id of each.getAttribute(name).split(" ")) {
        if (!document.getElementById(id)) wrong.push(`${name} leads nowhere: ${id}`);
      }
    }
  }
  const levels = all("h1, h2, h3, h4").map((each) => Number(each.tagName[1]));
  levels.forEach((level, place) => {
    if (place && level > levels[place - 1] + 1) wrong.push(`a heading skips a level: ${levels}`);
  });
  for (const each of all("img, svg:not([aria-hidden])")) {
    if (!each.getAttribute("alt") && !each.getAttribute("aria-label")) wrong.push(`a picture without words`);
  }

  const light = (colour) => {
    const [r, g, b] = colour.match(/[\d.]+/g).map((each) => each / 255);
    const linear = (each) => (each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  };
  const behind = (each) => {
    for (; each; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor;
      if (colour !== "rgba(0, 0, 0, 0)") return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.data.trim();
    const holder = texts.currentNode.parentElement;
    if (!text || holder.closest("svg, option, .hidden, .skip, script")) continue;
    const tones = [light(getComputedStyle(holder).color), light(behind(holder))].sort((x, y) => y - x);
    const ratio = (tones[0] + 0.05) / (tones[1] + 0.05);
    if (ratio < 4.5) wrong.push(`contrast ${ratio.toFixed(2)}: ${text.slice(0, 40)}`);
  }
  return wrong;
}
