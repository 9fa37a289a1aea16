"use strict";
// Curves over log time as SVG: the chance to have finished above, the density of log time below.

const SVG = "http://www.w3.org/2000/svg";

function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "path", "line", "rect", "text", "g", "circle", "clipPath"].includes(tag);
  const element = svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter(child => child != null));
  return element;
}

function inWords(seconds) {
  if (seconds == null || Number.isNaN(seconds)) return "–";
  if (!Number.isFinite(seconds)) return "never";
  const digits = value => Number(value.toPrecision(3)).toString();
  const units = [[1e-3, 1e-6, "µs"], [1, 1e-3, "ms"], [120, 1, "s"], [7200, 60, "min"], [172800, 3600, "h"]];
  for (const [below, unit, name] of units) if (seconds < below) return digits(seconds / unit) + " " + name;
  const days = seconds / 86400;
  return days < 1e5 ? digits(days) + " d" : days.toExponential(1) + " d";
}

// The value of a curve at t, linear in log time between its points.
function at(times, values, t, before = 0, after = values[values.length - 1]) {
  if (t <= times[0]) return t === times[0] ? values[0] : before;
  const last = times.length - 1;
  if (t >= times[last]) return t === times[last] ? values[last] : after;
  let low = 0, high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle; else high = middle;
  }
  const share = Math.log(t / times[low]) / Math.log(times[high] / times[low]);
  return values[low] + share * (values[high] - values[low]);
}

// The chance to have finished by t of a run that is still going after `elapsed` seconds.
function chance(curve, t, elapsed = 0) {
  const total = at(curve.times, curve.cdf, t, 0, 1);
  if (!elapsed) return total;
  const gone = at(curve.times, curve.cdf, elapsed, 0, 1);
  return t <= elapsed ? 0 : gone >= 1 ? null : (total - gone) / (1 - gone);
}

function ticks(first, last, room) {
  const nice = [];
  for (let power = -9; power < 2; power++) nice.push([10 ** power, power]);
  const long = [[60, "1 min"], [600, "10 min"], [3600, "1 h"], [36000, "10 h"], [86400, "1 d"], [864000, "10 d"],
    [8640000, "100 d"], [86400000, "1000 d"]];
  const labelled = nice.map(([t]) => [t, inWords(t)]).concat(long).filter(([t]) => t >= first && t <= last);
  if (labelled.length < 4) {
    for (let power = -9; power < 7; power++) for (const factor of [2, 5]) {
      const t = factor * 10 ** power;
      if (t >= first && t <= last && (t < 60 || last < 1200)) labelled.push([t, inWords(t)]);
    }
    labelled.sort((a, b) => a[0] - b[0]);
  }
  const kept = [], scale = room / Math.log(last / first);
  for (const tick of labelled) {
    const before = kept[kept.length - 1];
    if (!before || Math.log(tick[0] / before[0]) * scale > 52) kept.push(tick);
  }
  return kept;
}

class Chart {
  constructor(box, onPick) {
    this.box = box;
    this.onPick = onPick;
    this.state = null;
    this.tip = make("div", { class: "tip", hidden: true });
    new ResizeObserver(() => this.state && this.draw(this.state)).observe(box);
  }

  // series: [{ name, colour, curve: {times, cdf, density, low, high}, runs: {times, cdf} or null }]
  draw(state) {
    this.state = state;
    const width = Math.max(this.box.clientWidth, 280), small = width < 560;
    const size = { width, left: 44, right: 14, top: 26, cdf: small ? 210 : 290, gap: 34, density: small ? 80 : 110, foot: 26 };
    const [first, last] = this.range(state);
    const inner = width - size.left - size.right;
    const x = t => size.left + inner * Math.log(Math.min(Math.max(t, first), last) / first) / Math.log(last / first);
    const height = size.top + size.cdf + size.gap + size.density + size.foot;
    const names = state.series.map(one => one.name).join(", ");
    const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img",
      "aria-label": `Predicted chance to have finished over time, and density, of ${names}. The table below has the numbers.` });
    this.drawFrame(svg, size, x, first, last, inner);
    const y = p => size.top + size.cdf * (1 - p), base = size.top + size.cdf + size.gap + size.density;
    const most = Math.max(...state.series.map(one => Math.max(...one.curve.density)), 1e-9);
    const z = d => base - size.density * d / (1.05 * most);
    if (state.elapsed > first) {
      const end = x(state.elapsed);
      for (const [top, tall] of [[size.top, size.cdf], [base - size.density, size.density]])
        svg.append(make("rect", { class: "past", x: size.left, y: top, width: end - size.left, height: tall }));
    }
    for (const one of state.series) this.drawSeries(svg, one, x, y, z, state.elapsed, first, last, base);
    if (state.within >= first && state.within <= last)
      svg.append(make("line", { class: "mark", x1: x(state.within), x2: x(state.within), y1: size.top, y2: base }));
    this.hover = make("line", { class: "hover", y1: size.top, y2: base, visibility: "hidden" });
    svg.append(this.hover);
    this.listen(svg, size, inner, first, last, x);
    this.box.replaceChildren(svg, this.tip);
  }

  range(state) {
    let first = Infinity, last = 0;
    for (const { curve, runs } of state.series) {
      first = Math.min(first, curve.times[0]);
      last = Math.max(last, curve.times[curve.times.length - 1]);
      if (runs && runs.times.length) {
        first = Math.min(first, Math.max(runs.times[0], first / 100));
        last = Math.max(last, Math.min(runs.times[runs.times.length - 1], last * 100));
      }
    }
    return [first / 1.3, Math.max(last * 1.3, first * 2)];
  }

  drawFrame(svg, size, x, first, last, inner) {
    const foot = size.top + size.cdf + size.gap + size.density;
    svg.append(make("text", { class: "title", x: size.left, y: 14 }, "Chance to have finished"));
    svg.append(make("text", { class: "title", x: size.left, y: size.top + size.cdf + 24 }, "Density of log time"));
    for (const p of [0, 0.25, 0.5, 0.75, 1]) {
      const y = size.top + size.cdf * (1 - p);
      svg.append(make("line", { class: p ? "grid" : "axis", x1: size.left, x2: size.left + inner, y1: y, y2: y }));
      svg.append(make("text", { x: size.left - 7, y: y + 4, "text-anchor": "end" }, `${100 * p} %`));
    }
    svg.append(make("line", { class: "axis", x1: size.left, x2: size.left + inner, y1: foot, y2: foot }));
    for (const [t, label] of ticks(first, last, inner)) {
      svg.append(make("line", { class: "grid", x1: x(t), x2: x(t), y1: size.top, y2: size.top + size.cdf }));
      svg.append(make("line", { class: "grid", x1: x(t), x2: x(t), y1: foot - size.density, y2: foot }));
      svg.append(make("text", { x: x(t), y: foot + 18, "text-anchor": "middle" }, label));
    }
  }

  drawSeries(svg, { colour, curve, runs }, x, y, z, elapsed, first, last, base) {
    const path = points => "M" + points.map(([a, b]) => `${a.toFixed(1)},${b.toFixed(1)}`).join("L");
    const join = (times, values, scale) => times.map((t, i) => [x(t), scale(values[i])]);
    const { times, cdf, density, low, high } = curve;
    const alive = elapsed > times[0];
    if (low && !alive) {
      const edge = [...join(times, high, y), ...join(times, low, y).reverse()];
      svg.append(make("path", { class: `band s${colour}`, d: path(edge) + "Z" }));
    }
    const whole = [[x(first), y(0)], ...join(times, cdf, y), [x(last), y(1)]];
    const shape = join(times, density, z);
    const fill = [[shape[0][0], base], ...shape, [shape[shape.length - 1][0], base]];
    if (!alive) svg.append(make("path", { class: `area s${colour}`, d: path(fill) + "Z" }));
    svg.append(make("path", { class: `${alive ? "faint" : "line"} s${colour}`, d: path(shape) }));
    svg.append(make("path", { class: `${alive ? "faint" : "line"} s${colour}`, d: path(whole) }));
    if (alive) {
      const later = times.filter(t => t > elapsed), gone = chance(curve, elapsed);
      if (later.length > 1 && gone < 1) {
        const given = [[x(elapsed), y(0)], ...later.map(t => [x(t), y(chance(curve, t, elapsed))])];
        svg.append(make("path", { class: `line s${colour}`, d: path(given) }));
      }
    }
    if (runs && runs.times.length) {
      const steps = [[x(first), y(0)]];
      runs.times.forEach((t, i) => steps.push([x(t), y(i ? runs.cdf[i - 1] : 0)], [x(t), y(runs.cdf[i])]));
      svg.append(make("path", { class: `steps s${colour}`, d: path(steps) }));
    }
  }

  listen(svg, size, inner, first, last, x) {
    const time = event => {
      const box = svg.getBoundingClientRect();
      const share = ((event.clientX - box.left) * size.width / box.width - size.left) / inner;
      return share < 0 || share > 1 ? null : first * (last / first) ** share;
    };
    svg.addEventListener("pointermove", event => {
      const t = time(event);
      this.tip.hidden = t == null;
      this.hover.setAttribute("visibility", t == null ? "hidden" : "visible");
      if (t == null) return;
      this.hover.setAttribute("x1", x(t));
      this.hover.setAttribute("x2", x(t));
      this.tip.replaceChildren(make("strong", {}, `by ${inWords(t)}`), ...this.state.series.map(one => {
        const p = chance(one.curve, t, this.state.elapsed);
        return make("div", {}, swatch(one.colour), `${one.name}: ${p == null ? "–" : percent(p)}`);
      }));
      const place = x(t) / size.width;
      this.tip.style.left = place < 0.6 ? `calc(${100 * place}% + 12px)` : "auto";
      this.tip.style.right = place < 0.6 ? "auto" : `calc(${100 - 100 * place}% + 12px)`;
    });
    svg.addEventListener("pointerleave", () => {
      this.tip.hidden = true;
      this.hover.setAttribute("visibility", "hidden");
    });
    svg.addEventListener("click", event => time(event) && this.onPick(time(event)));
  }
}

function swatch(colour, kind = "dot") {
  const svg = make("svg", { viewBox: kind === "dot" ? "0 0 12 12" : "0 0 24 10", "aria-hidden": "true" });
  svg.append(kind === "dot" ? make("circle", { class: `s${colour}`, cx: 6, cy: 6, r: 5 })
    : make("path", { class: `${kind} s${colour}`, d: "M1,5H23" }));
  return svg;
}

function percent(p) {
  if (p > 0 && p < 0.001) return "< 0.1 %";
  if (p < 1 && p > 0.999) return "> 99.9 %";
  return `${Number((100 * p).toPrecision(p > 0.1 && p < 0.995 ? 2 : 3))} %`;
}
