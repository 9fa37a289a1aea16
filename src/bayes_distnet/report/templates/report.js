// Switches of lines, choice of charts, values under the pointer. The page is complete without this script.
"use strict";
(() => {
  const MOST = 8, GAP = 18;
  const all = (what, where = document) => [...where.querySelectorAll(what)];
  const made = (tag, properties = {}, ...inside) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...inside);
    return element;
  };
  const numbers = text => (text || "").split(" ").map(Number);
  const text_of = value => {
    if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
    const size = Math.abs(value);
    const text = size && (size < 1e-3 || size >= 1e5) ? value.toExponential(2) : String(+value.toPrecision(4));
    return text.replace(/-/g, "−");
  };
  document.documentElement.classList.add("js");
  const status = made("p", { className: "unseen" });
  status.setAttribute("role", "status");
  const tip = made("div", { id: "tip", hidden: true });
  tip.setAttribute("role", "tooltip");
  document.body.append(status, tip);

  // -- lines: a switch turns a line on in all figures --------------------------------------------------------------
  const named = (what, name) => all(what).filter(element => element.dataset.name === name);
  const switches = [];
  const lines_in = figure => new Set(all(".series", figure).map(line => line.dataset.name));

  for (const figure of all("figure.charts")) {
    const lines = lines_in(figure);
    for (const item of all(".legend li", figure)) {
      if (!lines.has(item.dataset.name)) continue;
      const button = made("button", { type: "button" }, ...item.childNodes);
      button.dataset.name = item.dataset.name;
      button.setAttribute("aria-pressed", item.classList.contains("on"));
      button.addEventListener("click", () => turn(item.dataset.name, button.getAttribute("aria-pressed") !== "true"));
      button.addEventListener("pointerenter", () => point_out(item.dataset.name, figure));
      button.addEventListener("pointerleave", () => point_out(null, figure));
      item.append(button);
      switches.push(button);
    }
    if (all(".legend li:not(.on) button", figure).length) add_hiding(figure);
  }

  function add_hiding(figure) {
    const button = made("button", { type: "button", className: "plain", textContent: "hide grey lines" });
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      const hidden = figure.classList.toggle("only");
      button.setAttribute("aria-pressed", hidden);
    });
    figure.querySelector(".legend").append(made("li", {}, button));
  }

  function turn(name, on) {
    if (on && is_full(name)) {
      status.textContent = `${MOST} lines are in colour: switch one off first.`;
      status.classList.add("seen");
      setTimeout(() => status.classList.remove("seen"), 4000);
      return;
    }
    for (const line of named(".series, .legend li", name)) {
      line.classList.toggle("on", on);
      if (on && line.matches(".series:not(.dot)")) line.parentNode.append(line);
    }
    for (const button of switches) if (button.dataset.name === name) button.setAttribute("aria-pressed", on);
    for (const chart of all("svg.lines")) place_labels(chart);
    status.textContent = `${name} is ${on ? "on" : "off"}`;
  }

  function is_full(name) {
    return all("figure.charts").some(figure => {
      const on = new Set(all(".series.on", figure).filter(s => !s.classList.contains("reference")).map(s => s.dataset.name));
      return lines_in(figure).has(name) && !on.has(name) && on.size >= MOST;
    });
  }

  function point_out(name, figure) {
    for (const line of all(".series", figure)) {
      line.classList.toggle("hot", line.dataset.name === name);
      line.classList.toggle("cold", name !== null && line.dataset.name !== name);
    }
  }

  // Labels at the ends of lines, moved apart as little as possible.
  function place_labels(chart) {
    const [, top, , height] = numbers(chart.dataset.frame);
    const labels = all(".series.on .end, .series.reference .end", chart)
      .map(text => ({ text, wish: +text.dataset.y }))
      .sort((a, b) => a.wish - b.wish || b.text.dataset.value - a.text.dataset.value);
    const gap = Math.min(GAP, height / Math.max(labels.length - 1, 1));
    const inside = (middle, size) =>
      Math.min(Math.max(middle, top + (size - 1) * gap / 2), top + height - (size - 1) * gap / 2);
    const groups = [];
    for (const { wish } of labels) {
      let group = { middle: inside(wish, 1), size: 1 };
      while (groups.length && group.middle - group.size * gap / 2 < groups.at(-1).middle + groups.at(-1).size * gap / 2) {
        const other = groups.pop(), size = group.size + other.size;
        group = { middle: inside((group.middle * group.size + other.middle * other.size) / size, size), size };
      }
      groups.push(group);
    }
    let next = 0;
    for (const { middle, size } of groups) {
      for (let i = 0; i < size; i++, next++) {
        const { text, wish } = labels[next], y = middle + (i - (size - 1) / 2) * gap;
        text.setAttribute("y", (y + 5).toFixed(1));
        const d = `M${text.dataset.x} ${wish}L${text.getAttribute("x") - 2} ${y.toFixed(1)}`;
        text.previousElementSibling.setAttribute("d", d);
      }
    }
  }

  // -- charts: a reader can choose one -----------------------------------------------------------------------------
  for (const figure of all("figure.charts[data-choice]")) {
    const panels = all(".panel", figure), first = +figure.dataset.shown;
    if (panels.length < 2) continue;
    const home = figure.querySelector(".panels"), more = figure.querySelector("details.more");
    home.append(...panels);
    if (more) more.remove();
    const start = first < panels.length ? `first ${first}` : "all";
    const choice = made("select", {}, new Option(start, ""), ...panels.map((p, i) => new Option(p.dataset.name, i)));
    const show = () => {
      panels.forEach((panel, i) => { panel.hidden = choice.value === "" ? i >= first : i !== +choice.value; });
      figure.classList.toggle("one", choice.value !== "");
      hide_tip();
    };
    choice.addEventListener("change", show);
    const label = made("label", { className: "choice" }, `${figure.dataset.choice} `, choice);
    home.before(label);
    show();
  }

  // -- values ------------------------------------------------------------------------------------------------------
  function show_tip(lines, x, y) {
    tip.replaceChildren(...lines.map((line, i) => made(i ? "span" : "strong", { textContent: line })));
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 4))}px`;
    tip.style.top = `${y - box.height - 12 < 0 ? y + 16 : y - box.height - 12}px`;
  }

  function hide_tip() {
    tip.hidden = true;
    for (const ring of all(".ring")) ring.remove();
  }

  function points_of(chart) {
    const [left, top, width, height] = numbers(chart.dataset.frame);
    const [x0, x1, xlog] = numbers(chart.dataset.x), [y0, y1, ylog] = numbers(chart.dataset.y);
    const place = (v, low, high, log) => log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low);
    const points = [];
    for (const line of all(".series", chart)) {
      if (getComputedStyle(line).display === "none") continue;
      const xs = numbers(line.dataset.xs), ys = numbers(line.dataset.ys), errors = numbers(line.dataset.errors);
      xs.forEach((x, i) => {
        if (Number.isNaN(ys[i])) return;
        const px = left + place(x, x0, x1, xlog) * width;
        const py = top + height - Math.min(Math.max(place(ys[i], y0, y1, ylog), 0), 1) * height;
        if (px >= left - 1 && px <= left + width + 1) points.push({ line, x, y: ys[i], error: errors[i], px, py, i });
      });
    }
    return points;
  }

  function tell(chart, point) {
    const { line, x, y, error } = point, percent = numbers(chart.dataset.x)[3];
    hide_tip();
    const ring = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    for (const [key, value] of Object.entries({ class: "ring", cx: point.px, cy: point.py, r: 8 })) ring.setAttribute(key, value);
    chart.append(ring);
    const spot = ring.getBoundingClientRect();
    const value = `${chart.dataset.ylabel}: ${text_of(y)}${error ? ` ± ${text_of(error)}` : ""}`;
    const at = `${chart.dataset.xlabel}: ${percent ? `${text_of(100 * x)} %` : text_of(x)}`;
    show_tip([line.dataset.name, value, at], spot.x + spot.width / 2, spot.y + spot.height / 2);
    line.classList.add("hot");
  }

  const cool = chart => { for (const line of all(".hot", chart)) line.classList.remove("hot"); };

  for (const chart of all("svg.lines")) {
    chart.setAttribute("tabindex", "0");
    let current = null;
    chart.addEventListener("pointermove", event => {
      const matrix = chart.getScreenCTM();
      if (!matrix) return;
      const mouse = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
      // A line in colour wins over a grey one that is little nearer.
      const far = p => Math.hypot(p.px - mouse.x, p.py - mouse.y) + (p.line.classList.contains("on") ? 0 : 6);
      const near = points_of(chart).reduce((best, p) => (!best || far(p) < far(best) ? p : best), null);
      cool(chart);
      if (near && far(near) < 60) tell(chart, near); else hide_tip();
    });
    chart.addEventListener("pointerleave", () => { hide_tip(); cool(chart); });
    chart.addEventListener("blur", () => { hide_tip(); cool(chart); current = null; });
    chart.addEventListener("keydown", event => {
      const steps = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
      if (event.key === "Escape") hide_tip();
      if (!steps) return;
      event.preventDefault();
      const points = points_of(chart), lines = [...new Set(points.map(p => p.line))]
        .sort((a, b) => b.classList.contains("on") - a.classList.contains("on"));
      if (!points.length) return;
      const line = !current ? lines[0] : lines[(lines.indexOf(current.line) + steps[1] + lines.length) % lines.length];
      const own = points.filter(p => p.line === line);
      const at = !current ? 0 : Math.min(Math.max(own.findIndex(p => p.i >= current.i) + steps[0], 0), own.length - 1);
      current = own[at];
      cool(chart);
      tell(chart, current);
      status.textContent = tip.innerText;
    });
  }
  for (const mark of all("[data-tip]")) {
    mark.addEventListener("pointermove", event => show_tip([mark.dataset.tip], event.clientX, event.clientY));
    mark.addEventListener("pointerleave", hide_tip);
  }
  addEventListener("scroll", hide_tip, { passive: true });

  // -- a narrow window: charts without the column of labels, which the legend replaces -----------------------------
  const narrow = matchMedia("(max-width: 40rem)");
  const fit = () => {
    for (const chart of all("svg.lines")) {
      chart.dataset.wide ??= chart.getAttribute("viewBox");
      chart.setAttribute("viewBox", narrow.matches ? chart.dataset.narrow : chart.dataset.wide);
    }
  };
  narrow.addEventListener("change", fit);
  fit();
})();
