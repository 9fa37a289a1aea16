"use strict";
// The page: instances that were added, the questions, and the answers of the API.

const MOST = 8, ROWS = 50;
const $ = id => document.getElementById(id);
const state = { models: [], data: null, model: null, items: [], domain: null, within: null, elapsed: 0, solver: "", sort: "instance", down: false, start: 0 };
let chart, asked = 0, timer = null;

// -- requests ---------------------------------------------------------------------------------------------------------

async function ask(path, query = {}, body = null, headers = {}) {
  const address = `${path}?${new URLSearchParams(query)}`;
  const json = body !== null && !(body instanceof FormData) && typeof body !== "string";
  let answer;
  try {
    answer = await fetch(address, body === null ? {} : {
      method: "POST", body: json ? JSON.stringify(body) : body, headers: json ? { "Content-Type": "application/json" } : headers });
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
  const found = await answer.json().catch(() => ({ error: `The server answered with status ${answer.status}.` }));
  if (!answer.ok) throw new Error(found.error);
  return found;
}

const say = (text, busy = false) => { $("status").textContent = text; $("status").classList.toggle("busy", busy); };

function complain(error) {
  $("alert").hidden = !error;
  $("alert").textContent = error ? error.message || String(error) : "";
}

async function attempt(text, work) {
  complain(null);
  say(text, true);
  try { await work(); say(""); } catch (error) { say(""); complain(error); }
}

// -- instances --------------------------------------------------------------------------------------------------------

function freeColour() {
  const used = new Set(state.items.map(item => item.colour));
  return [...Array(MOST).keys()].find(colour => !used.has(colour)) ?? 0;
}

async function add(row, runs = null) {
  if (state.items.length >= MOST) throw new Error(`At most ${MOST} instances are compared; remove one first.`);
  const item = { name: row.instance || "instance", features: row.features, runs, colour: freeColour() };
  await forecast(item);
  state.items.push(item);
  await render();
}

async function forecast(item) {
  const own = { instance: item.name, features: item.features };
  item.forecast = await ask("/api/forecast", { model: state.model.name }, own);
}

async function addFiles(files) {
  const tables = files.filter(file => file.name.toLowerCase().endsWith(".csv"));
  const others = files.filter(file => !tables.includes(file));
  for (const file of tables) await attempt(`Reading ${file.name} …`, async () => addRows(await file.text()));
  const pddl = others.filter(file => file.name.endsWith(".pddl")), problems = [];
  for (const file of pddl) {
    if (/\(\s*define\s*\(\s*domain\b/i.test(await file.slice(0, 65536).text())) state.domain = file;
    else problems.push(file);
  }
  if (pddl.length && !problems.length) {
    complain(null);
    say(`Domain ${state.domain.name} is there. Now drop a problem.`);
  }
  for (const file of [...others.filter(file => !pddl.includes(file)), ...problems]) {
    const domain = problems.includes(file) ? state.domain : null;
    await attempt(`Computing the features of ${file.name} …`, async () => {
      const form = new FormData();
      form.append("files", file);
      if (domain) form.append("files", domain);
      await add(await ask("/api/features", {}, form));
    });
  }
}

async function addRows(text) {
  const { rows } = await ask("/api/rows", {}, text, { "Content-Type": "text/csv" });
  const room = MOST - state.items.length;
  for (const row of rows.slice(0, Math.max(room, 1))) await add(row);
  if (rows.length > room) throw new Error(`The table has ${rows.length} rows; the page compares at most ${MOST} instances.`);
}

async function remove(item) {
  state.items = state.items.filter(other => other !== item);
  await render();
}

// -- results ----------------------------------------------------------------------------------------------------------

// The curves of an instance: all solvers of the model, or the one that was chosen.
const shown = item => item.forecast.solvers.filter(curve => !state.solver || curve.solver === state.solver);

// One series per instance and solver. Colours are those of instances, or of solvers where there is one instance.
function seriesOf(items) {
  const single = items.length === 1, found = [];
  for (const item of items) shown(item).forEach((curve, i) => {
    const several = shown(item).length > 1;
    const name = several ? (single ? curve.solver : `${item.name}, ${curve.solver}`) : item.name;
    const runs = item.runs && item.runs[curve.solver];
    found.push({ name, item, curve, runs: runs && runs.runs ? runs : null,
      colour: several ? (single ? i : found.length) % MOST : item.colour });
  });
  return found;
}

function timeRange() {
  const all = state.items.flatMap(shown);
  return [Math.min(...all.map(one => one.times[0])), Math.max(...all.map(one => one.times[one.times.length - 1]))];
}

const toTime = place => { const [a, b] = timeRange(); return a * (b / a) ** (place / 1000); };
const toPlace = t => { const [a, b] = timeRange(); return t <= a ? 0 : Math.min(1000, Math.round(1000 * Math.log(t / a) / Math.log(b / a))); };
const short = value => Number(Number(value).toPrecision(3));

async function render() {
  const there = state.items.length > 0;
  $("empty").hidden = there;
  $("answers").hidden = !there;
  markChosen();
  if (!there) return;
  const [first, last] = timeRange();
  if (state.within == null || state.within < first || state.within > last) {
    const curve = shown(state.items[0])[0];
    state.within = short(curve.times[curve.cdf.findIndex(p => p >= 0.5)] ?? last);
  }
  syncSliders();
  draw();
  await advise();
}

function syncSliders() {
  $("within").value = toPlace(state.within);
  $("elapsed").value = state.elapsed ? Math.max(1, toPlace(state.elapsed)) : 0;
  for (const name of ["within", "elapsed"]) {
    if (document.activeElement !== $(`${name}-seconds`)) $(`${name}-seconds`).value = state[name];
    $(name).setAttribute("aria-valuetext", state[name] ? inWords(state[name]) : "not started");
  }
}

function draw() {
  const series = seriesOf(state.items);
  chart.draw({ series, within: state.within, elapsed: state.elapsed });
  const entries = series.map(one => make("li", {}, swatch(one.colour, "line"), one.name));
  if (!state.elapsed && series.some(one => one.curve.low)) entries.push(make("li", { class: "soft" }, "shaded: 90 % band"));
  if (series.some(one => one.runs)) entries.push(make("li", { class: "soft" }, "dotted: recorded runs"));
  if (state.elapsed) entries.push(make("li", { class: "soft" }, `solid: given no answer after ${inWords(state.elapsed)}`));
  $("legend").replaceChildren(...entries);
  fillTable(series);
}

function question() {
  const deadline = Number($("deadline").value), cores = Number($("cores").value);
  const wanted = { cores: Number.isInteger(cores) && cores >= 1 ? Math.min(cores, 64) : 1 };
  if (deadline > 0) wanted.deadline = deadline;
  if (state.elapsed > 0) wanted.elapsed = state.elapsed;
  return wanted;
}

async function advise() {
  const mine = ++asked, wanted = question();
  try {
    const answers = await Promise.all(state.items.map(item =>
      ask("/api/advise", { model: state.model.name }, { instance: item.name, features: item.features, ...wanted })));
    if (mine !== asked) return;
    state.items.forEach((item, i) => { item.advice = answers[i]; });
    complain(null);
    draw();
  } catch (error) { if (mine === asked) complain(error); }
}

function adviseSoon() {
  for (const item of state.items) if (item.advice) item.advice.advice = null;
  clearTimeout(timer);
  timer = setTimeout(advise, 200);
}

function move(name, seconds) {
  state[name] = seconds;
  syncSliders();
  if (name === "elapsed") adviseSoon();
  draw();
}

// -- the table of answers ---------------------------------------------------------------------------------------------

const strong = text => make("strong", {}, text);
const why = text => text ? make("span", { class: "why" }, text) : null;
const sentence = text => { const rest = text.replace(/^[a-z]+(?: to [^:]*)?: /, ""); return rest[0].toUpperCase() + rest.slice(1); };
const outlook = one => one.item.advice && one.item.advice.solvers.find(other => other.solver === one.curve.solver);

function fillTable(series) {
  const body = make("tbody"), wide = series.length + 1;
  const row = (title, cell) => body.append(make("tr", {}, make("th", { scope: "row" }, title), series.map(one => make("td", {}, cell(one)))));
  const perInstance = (title, cell) => body.append(make("tr", {}, make("th", { scope: "row" }, title),
    state.items.map(item => make("td", { colspan: shown(item).length }, cell(item)))));
  const part = title => body.append(make("tr", { class: "part" }, make("th", { colspan: wide, scope: "colgroup" }, title)));
  perInstance("Like the training data?", item => [badge(item.forecast.familiarity.verdict), why(item.forecast.familiarity.farthest)]);
  row("Median", one => strong(inWords(one.curve.copies["1"])));
  row("90 % band of it", one => { const own = outlook(one); return own && own.low != null ? `${inWords(own.low)} to ${inWords(own.high)}` : "–"; });
  row("9 of 10 runs by", one => inWords(outlook(one)?.q90));
  row(`Within ${inWords(state.within)}`, one => strong(percentOf(one)));
  if (series.some(one => one.runs)) row("Recorded runs", one => recorded(one.runs));
  if (state.elapsed) {
    part(`After ${inWords(state.elapsed)} without an answer`);
    row("Time left, median", one => strong(inWords(left(one, 0.5))));
    row("9 of 10 runs within", one => inWords(left(one, 0.9)));
    perInstance("Advice", item => item.advice?.advice ? [badge(item.advice.advice.action), why(sentence(item.advice.advice.why))] : "…");
  }
  part("What to do");
  row("Copies side by side, median", one => make("span", { class: "copies" },
    Object.entries(one.curve.copies).map(([k, t]) => make("span", {}, `${k}: `, strong(inWords(t))))));
  row("Restarts", one => {
    const own = outlook(one);
    return own ? [strong(own.cutoff == null ? "no" : `every ${inWords(own.cutoff)}`), why(own.restarts)] : "…";
  });
  perInstance("Plan", item => item.advice ? planOf(item.advice.plan) : "…");
  $("table").replaceChildren(make("thead", {}, headings()), body);
}

function headings() {
  const names = state.items.map(item => make("th", { scope: "colgroup", colspan: shown(item).length },
    make("div", {}, shown(item).length > 1 ? null : swatch(item.colour), item.name,
      make("button", { type: "button", "aria-label": `Remove ${item.name}`, onclick: () => remove(item) }, "×"))));
  const lines = [make("tr", {}, make("td"), names)];
  if (state.model.portfolio)
    lines.push(make("tr", {}, make("td"), seriesOf(state.items).map(one => make("th", { scope: "col" }, make("div", {}, swatch(one.colour), one.curve.solver)))));
  return lines;
}

const badge = word => make("span", { class: `badge ${word}` }, word);

function percentOf(one) {
  if (state.elapsed >= state.within) return "that time is past";
  const p = chance(one.curve, state.within, state.elapsed);
  return p == null ? "–" : percent(p);
}

function left(one, level) {
  const advice = one.item.advice?.advice;
  if (advice && one.item.forecast.solvers.length === 1) return level === 0.5 ? advice.left.median : advice.left.q90;
  const gone = chance(one.curve, state.elapsed);
  if (gone >= 0.999) return null;
  const wanted = gone + level * (1 - gone), i = one.curve.cdf.findIndex(p => p >= wanted);
  return i < 0 ? null : one.curve.times[i] - state.elapsed;
}

function recorded(runs) {
  if (!runs) return "–";
  return `${runs.runs} runs, median ${runs.median == null ? "past the cutoff" : inWords(runs.median)}${runs.cut_off ? `, ${runs.cut_off} cut off` : ""}`;
}

function planOf(plan) {
  const slots = plan.slots.map(slot => slot.solver + (slot.seconds == null ? "" : ` for ${inWords(slot.seconds)}`)
    + (slot.cutoff == null ? "" : `, restarted every ${inWords(slot.cutoff)}`));
  const cores = new Set(plan.slots.map(slot => slot.core)).size;
  return [strong(slots.join(cores > 1 ? " beside " : ", then ")), why(state.model.portfolio ? plan.why : null)];
}

// -- data set ---------------------------------------------------------------------------------------------------------

async function showData() {
  $("data").hidden = !state.data;
  if (!state.data) return;
  const query = { model: state.model.name, search: $("search").value, sort: state.sort, descending: state.down, start: state.start, count: ROWS };
  if (!$("solver-box").hidden && $("solver").value) query.solver = $("solver").value;
  const found = await ask("/api/data", query);
  const rows = found.rows.map(row => make("tr", { "data-name": row.instance },
    make("td", {}, make("button", { type: "button", "aria-pressed": "false", title: row.instance, onclick: () => toggle(row.instance) },
      row.trained ? make("span", { class: "dot", title: "the model was trained on this instance" }, "● ") : null, row.instance)),
    make("td", {}, inWords(row.recorded)), make("td", {}, inWords(row.predicted))));
  $("instances").tBodies[0].replaceChildren(...rows);
  const last = Math.min(state.start + ROWS, found.total);
  $("place").textContent = found.total ? `${state.start + 1} to ${last} of ${found.total}` : "nothing found";
  $("before").disabled = state.start === 0;
  $("after").disabled = last >= found.total;
  for (const head of $("instances").tHead.rows[0].cells) {
    const mine = head.firstElementChild.dataset.sort === state.sort;
    if (mine) head.setAttribute("aria-sort", state.down ? "descending" : "ascending"); else head.removeAttribute("aria-sort");
  }
  markChosen();
}

function markChosen() {
  const names = new Set(state.items.filter(item => item.runs).map(item => item.name));
  for (const row of $("instances").tBodies[0].rows) {
    row.classList.toggle("chosen", names.has(row.dataset.name));
    row.querySelector("button").setAttribute("aria-pressed", names.has(row.dataset.name));
  }
}

async function toggle(name) {
  const there = state.items.find(item => item.runs && item.name === name);
  if (there) return remove(there);
  await attempt(`Predicting ${name} …`, async () => {
    const found = await ask("/api/data/instance", { name });
    await add(found, found.runs);
    if (matchMedia("(max-width: 900px)").matches) $("results").scrollIntoView();
  });
}

// -- model, form, start -----------------------------------------------------------------------------------------------

function describe(model) {
  const training = model.training;
  const from = training ? `, learnt from ${training.instances} instances and ${training.runs} runs of ${training.solver}` : "";
  $("facts").textContent = `${model.kind}, ${model.features.length} features${from}`;
}

async function choose(name) {
  state.model = state.models.find(model => model.name === name);
  describe(state.model);
  state.solver = "";
  $("shown").replaceChildren(make("option", { value: "" }, "all solvers"), ...state.model.solvers.map(solver => make("option", {}, solver)));
  $("shown-box").hidden = state.model.solvers.length < 2;
  $("fields").replaceChildren();
  if (!$("form").hidden) await fillForm();
  const kept = [], lost = [];
  for (const item of state.items) {
    try { item.advice = null; await forecast(item); kept.push(item); } catch { lost.push(item.name); }
  }
  state.items = kept;
  await showData();
  await render();
  complain(lost.length ? new Error(`Removed, since this model needs other features: ${lost.join(", ")}.`) : null);
}

async function fillForm() {
  if ($("fields").children.length) return;
  const { features } = await ask("/api/example", { model: state.model.name });
  $("fields").replaceChildren(...state.model.features.map(name => make("label", {}, make("span", {}, name),
    make("input", { name, type: "number", step: "any", value: features[name] ?? "", placeholder: "missing" }))));
}

async function unfold(name) {
  for (const other of ["paste", "form"]) {
    const open = other === name && $(other).hidden;
    $(other).hidden = !open;
    $(`show-${other}`).setAttribute("aria-expanded", open);
  }
  if (!$("form").hidden) await attempt("", fillForm);
  if (!$("paste").hidden) $("csv").focus();
}

function listenToInputs() {
  $("model").addEventListener("change", () => attempt("", () => choose($("model").value)));
  $("example").addEventListener("click", () => attempt("Predicting …", async () => add(await ask("/api/example", { model: state.model.name }))));
  $("show-paste").addEventListener("click", () => unfold("paste"));
  $("show-form").addEventListener("click", () => unfold("form"));
  $("paste").addEventListener("submit", event => { event.preventDefault(); attempt("Predicting …", () => addRows($("csv").value)); });
  $("form").addEventListener("submit", event => {
    event.preventDefault();
    const inputs = [...$("fields").querySelectorAll("input")];
    const features = Object.fromEntries(inputs.map(input => [input.name, input.value === "" ? null : Number(input.value)]));
    attempt("Predicting …", () => add({ instance: $("form-name").value, features }));
  });
  $("filter").addEventListener("input", () => {
    for (const label of $("fields").children) label.hidden = !label.textContent.toLowerCase().includes($("filter").value.toLowerCase());
  });
  $("files").addEventListener("change", async () => { await addFiles([...$("files").files]); $("files").value = ""; });
  let inside = 0;
  addEventListener("dragenter", () => { inside++; $("drop").classList.add("over"); });
  addEventListener("dragleave", () => { if (--inside <= 0) $("drop").classList.remove("over"); });
  addEventListener("dragover", event => event.preventDefault());
  addEventListener("drop", event => {
    event.preventDefault();
    inside = 0;
    $("drop").classList.remove("over");
    addFiles([...event.dataTransfer.files]);
  });
}

function listenToQuestions() {
  $("within").addEventListener("input", () => move("within", short(toTime(Number($("within").value)))));
  $("elapsed").addEventListener("input", () => move("elapsed", Number($("elapsed").value) ? short(toTime(Number($("elapsed").value))) : 0));
  for (const name of ["within", "elapsed"]) $(`${name}-seconds`).addEventListener("input", event => {
    const seconds = Number(event.target.value);
    if (seconds > 0 || (name === "elapsed" && seconds === 0)) move(name, seconds);
  });
  for (const name of ["cores", "deadline"]) $(name).addEventListener("input", adviseSoon);
  $("shown").addEventListener("change", () => { state.solver = $("shown").value; render(); });
  $("clear").addEventListener("click", () => { state.items = []; render(); });
}

function listenToData() {
  let waiting = null;
  const again = () => showData().catch(complain);
  $("search").addEventListener("input", () => { state.start = 0; clearTimeout(waiting); waiting = setTimeout(again, 150); });
  $("solver").addEventListener("change", again);
  $("before").addEventListener("click", () => { state.start = Math.max(0, state.start - ROWS); again(); });
  $("after").addEventListener("click", () => { state.start += ROWS; again(); });
  for (const button of $("instances").tHead.querySelectorAll("button")) button.addEventListener("click", () => {
    state.down = state.sort === button.dataset.sort && !state.down;
    state.sort = button.dataset.sort;
    state.start = 0;
    again();
  });
}

async function start() {
  chart = new Chart($("chart"), t => move("within", short(t)));
  listenToInputs();
  listenToQuestions();
  listenToData();
  const found = await ask("/api/models");
  Object.assign(state, { models: found.models, data: found.data });
  $("model").replaceChildren(...found.models.map(model => make("option", { value: model.name }, model.name)));
  if (found.data) {
    $("data-title").textContent = `${found.data.name}: ${found.data.instances} instances`;
    $("solver").replaceChildren(...found.data.solvers.map(name => make("option", {}, name)));
    $("solver-box").hidden = found.data.solvers.length < 2;
  }
  $("files").setAttribute("accept", [...found.files, ".gz", ".xz", ".bz2", ".csv"].join(","));
  await choose(found.models[0].name);
}

start().catch(complain);
