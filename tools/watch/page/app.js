// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps what the server tells, and draws the part that is shown.
"use strict";

const WINDOWS = [["30 s", 30], ["2 min", 120], ["10 min", 600], ["all", Infinity]];
const TILES = [["target", "target_bps", bitrate, "target"], ["encoder", "encoder_bps", bitrate, "encoder"], ["sent", "sent_bps", bitrate, "sent"],
  ["delivered", "delivered_bps", bitrate, "delivered"], ["capacity", "capacity_bps", bitrate, "capacity"], ["round trip", "rtt_ms", milliseconds, "rtt"],
  ["queueing delay", "queueing_ms", milliseconds, "queue"], ["send queue", "send_queue_ms", milliseconds, "wait"],
  ["loss", "loss_percent", percent, "loss"], ["MOS", "mos", v => [v.toFixed(1), ""], "delivered"]];
const FAR_CAPACITY = 50; // a link with so many times what is sent is no bottleneck

const state = { tracks: {}, sender: null, windowS: 120, paused: false, zoomed: false, keepS: null, ended: null, texts: {}, descriptions: {} };
const $ = id => document.getElementById(id);
const element = (tag, fields = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), fields);
  made.append(...children);
  return made;
};

// ---- what is known ----

const named = kind => Object.keys(state.tracks).filter(name => state.tracks[name].kind === kind);
const last = (track, column) => track && track.columns[column] ? track.columns[column][track.t.length - 1] : undefined;

// The newest value there is; a column may be filled less often than the rows come.
function newest(track, column) {
  const values = track && track.columns[column];
  for (let i = values ? values.length - 1 : -1; i >= 0; i--) {
    if (values[i] != null) return values[i];
  }
  return undefined;
}

function addRow({ name, t, values }) {
  const track = state.tracks[name];
  if (!track) return;
  track.t.push(t);
  for (const column in values) {
    if (!track.columns[column]) track.columns[column] = new Array(track.t.length - 1).fill(null);
  }
  for (const column in track.columns) track.columns[column].push(values[column] ?? null);
  if (track.t.length > 13000 || (state.keepS && t - track.t[0] > 1.1 * state.keepS)) trim(track);
}

function trim(track) {
  const count = state.keepS ? track.t.findIndex(t => t >= track.t[track.t.length - 1] - state.keepS) : track.t.length - 12000;
  track.t.splice(0, count);
  for (const column in track.columns) track.columns[column].splice(0, count);
}

// The bottleneck: the link with the least capacity, if it could be one.
function bottleneck(sender) {
  const links = named("link").map(name => state.tracks[name]);
  const least = links.sort((a, b) => (newest(a, "capacity_bps") ?? Infinity) - (newest(b, "capacity_bps") ?? Infinity))[0];
  const most = Math.max(...(sender.columns.sent_bps || [0]).filter(v => v != null), 1);
  return least && Math.min(...least.columns.capacity_bps.filter(v => v > 0)) < FAR_CAPACITY * most ? least : null;
}

// ---- what is shown ----

function indexFrom(times, from) {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < from) low = middle + 1; else high = middle;
  }
  return low;
}

function shownFrom(sender) {
  return state.windowS === Infinity || !sender.t.length ? -Infinity : sender.t[sender.t.length - 1] - state.windowS;
}

// [times, column, ...] from a moment on, one row earlier so that curves come from the edge.
function slice(track, columns, from) {
  const begin = Math.max(0, indexFrom(track.t, from) - 1);
  const part = values => begin ? values.slice(begin) : values;
  return [part(track.t), ...columns.map(c => track.columns[c] ? part(track.columns[c]) : new Array(track.t.length - begin).fill(null))];
}

function chartData(id, sender, link, from) {
  const own = SERIES[id].filter(s => s.source !== "link"), foreign = SERIES[id].filter(s => s.source === "link");
  const ours = slice(sender, own.map(s => s.column), from);
  if (!foreign.length) return ours;
  if (!link) return [ours[0], ...foreign.map(() => new Array(ours[0].length).fill(null)), ...ours.slice(1)];
  const theirs = slice(link, foreign.map(s => s.column), from);
  const end = ours[0][ours[0].length - 1];
  if (theirs[0].length && theirs[0][theirs[0].length - 1] < end) { // what held last holds to the edge
    theirs[0] = [...theirs[0], end];
    for (let i = 1; i < theirs.length; i++) theirs[i] = [...theirs[i], foreign[i - 1].paths ? theirs[i][theirs[i].length - 1] : null];
  }
  return uPlot.join([theirs, ours]);
}

const charts = {};
let smallCharts = new Map(), limitRuns = [];

function setData(chart, data, range) {
  const follow = !state.zoomed;
  chart.setData(data, false);
  if (follow) chart.setScale("x", range); else chart.redraw();
  if (chart.cursor.left == null || chart.cursor.left < 0) chart.setLegend({ idx: data[0].length - 1 }, false);
}

function runsOf(sender, from) {
  const runs = [], words = sender.columns.limit || [];
  for (let i = Math.max(0, indexFrom(sender.t, from) - 1); i < sender.t.length; i++) {
    if (!runs.length || runs[runs.length - 1][1] !== words[i]) runs.push([sender.t[i], words[i]]);
  }
  return runs;
}

function drawLimit(sender) {
  const limit = newest(sender, "limit");
  const text = state.texts[limit] || (limit ? limit : "This trace does not say what limits the rate.");
  const [head, ...rest] = text.split(": ");
  $("limit-text").replaceChildren(element("b", { textContent: head }), rest.length ? ": " + rest.join(": ") : "");
  const picture = newest(sender, "picture");
  if (picture) $("limit-text").append(` (the encoder gets ${picture}, ${newest(sender, "picture_reason")})`);
  const repair = newest(sender, "repair_percent");
  if (repair != null) $("limit-text").append(` (repair ${repair} %, ${newest(sender, "repair_reason")})`);
  const receiver = newest(sender, "receiver");
  if (receiver) $("limit-text").append(` (it follows receiver ${receiver})`);
  $("limit").dataset.limit = limit || "";
  $("limit").style.setProperty("--colour", limit ? limitColour(limit) : colourOf("starting"));
  const seen = [...new Set(limitRuns.map(run => run[1]).filter(Boolean))];
  if ($("limit-key").dataset.seen !== seen.join()) {
    $("limit-key").dataset.seen = seen.join();
    $("limit-key").replaceChildren(...seen.map(word => {
      const item = element("span", { textContent: word, title: state.texts[word] || "" });
      item.style.setProperty("--colour", limitColour(word));
      return item;
    }));
  }
}

function drawTiles(sender, link) {
  const tiles = TILES.map(([label, column, format, colour]) => {
    const value = column === "capacity_bps" ? newest(link, column) : newest(sender, column);
    if (value == null) return null;
    const [figure, unit] = format(value);
    const tile = element("div", { className: "tile" }, element("h3", { textContent: label }),
      element("div", {}, figure, element("small", { textContent: unit })));
    tile.style.setProperty("--colour", `var(--${colour})`);
    return tile;
  });
  $("tiles").replaceChildren(...tiles.filter(Boolean));
}

function makeVariable(name) {
  const output = element("output"), place = element("div", { className: "chart" });
  const description = state.descriptions[name] || "";
  const card = element("article", { className: "variable", title: description }, element("header", {}, element("code", { textContent: name }), output),
    element("p", { textContent: description || "\u00a0" }), place);
  $("variables").append(card);
  return { output, place, chart: makeSmallChart(place, name) };
}

function drawVariables(sender, from, range) {
  const algorithm = newest(sender, "algorithm"), prefix = algorithm + ".";
  const columns = Object.keys(sender.columns).filter(c => c.startsWith(prefix));
  if (columns.join() !== [...smallCharts.keys()].join()) {
    for (const { chart } of smallCharts.values()) chart.destroy();
    $("variables").replaceChildren();
    $("variables-panel").hidden = !columns.length;
    smallCharts = new Map(columns.map(c => [c, makeVariable(c.slice(prefix.length))]));
  }
  $("algorithm").textContent = algorithm || "";
  for (const [column, { output, chart }] of smallCharts) {
    output.textContent = written(variableFormat(column), newest(sender, column));
    setData(chart, slice(sender, [column], from), range);
  }
}

function draw() {
  const sender = state.tracks[state.sender];
  if (!sender || !sender.t.length || state.paused) return;
  const link = bottleneck(sender), from = shownFrom(sender), end = sender.t[sender.t.length - 1];
  const range = { min: state.windowS === Infinity ? sender.t[0] : Math.max(from, Math.min(sender.t[0], 0)), max: end };
  if (range.max <= range.min) range.max = range.min + 1;
  limitRuns = runsOf(sender, from);
  drawLimit(sender);
  drawTiles(sender, link);
  for (const id in charts) setData(charts[id], chartData(id, sender, link, from), range);
  drawVariables(sender, from, range);
}

let planned = false;
function plan() {
  if (planned) return;
  planned = true;
  requestAnimationFrame(() => { planned = false; draw(); });
}

// ---- controls ----

function drawSenders() {
  const names = named("sender");
  if (!names.includes(state.sender)) state.sender = names[0] || null;
  $("senders").replaceChildren(...names.map(name => element("button", {
    type: "button", textContent: name, ariaPressed: String(name === state.sender),
    onclick: () => { state.sender = name; drawSenders(); plan(); },
  })));
}

function drawWindows() {
  $("windows").replaceChildren(...WINDOWS.map(([label, seconds]) => element("button", {
    type: "button", textContent: label, ariaPressed: String(seconds === state.windowS),
    onclick: () => { state.windowS = seconds; state.zoomed = false; drawWindows(); plan(); },
  })));
}

function setPaused(paused) {
  state.paused = paused;
  $("pause").ariaPressed = String(paused);
  $("pause").textContent = paused ? "Go on" : "Pause";
  if (!paused) state.zoomed = false;
  plan();
}

function makeCharts() {
  for (const id of Object.keys(SERIES)) {
    if (charts[id]) charts[id].destroy();
    charts[id] = makeChart(id, $(id), id === "rates" ? () => limitRuns : null);
    charts[id].over.addEventListener("dblclick", () => { state.zoomed = false; plan(); });
  }
  for (const { chart } of smallCharts.values()) chart.destroy();
  $("variables").replaceChildren();
  smallCharts = new Map();
}

// A part chosen with the mouse stays until a double click, in all charts.
function followZoom() {
  document.addEventListener("mouseup", () => {
    const chosen = Object.values(charts).find(c => c.select.width > 4);
    if (chosen) state.zoomed = true;
  }, true);
}

function setConnection(text, kind) {
  $("connection").textContent = text;
  $("connection").className = kind;
}

function showNotice({ element: name, text }) {
  $("notice").hidden = false;
  $("notice").textContent = `${name}: ${text}`;
}

function connect() {
  const source = new EventSource("events"), on = (kind, act) => source.addEventListener(kind, e => { act(JSON.parse(e.data)); plan(); });
  on("history", data => {
    Object.assign(state, { tracks: data.tracks, keepS: data.keep_s, ended: data.ended });
    if (data.keep_s == null) state.windowS = Infinity;
    $("title").textContent = $("title").title = data.title;
    document.title = `weir-watch ${data.title}`;
    setConnection(data.ended || "live", data.ended ? "" : "live");
    if (data.notices.length) showNotice(data.notices[data.notices.length - 1]);
    drawWindows();
    drawSenders();
  });
  on("begin", ({ name, kind }) => { state.tracks[name] = { kind, t: [], columns: {} }; drawSenders(); });
  on("rows", rows => rows.forEach(addRow));
  on("notice", showNotice);
  on("end", ({ text }) => { state.ended = text; setConnection(text, ""); });
  source.onerror = () => { if (!state.ended) setConnection("connection lost", "lost"); };
}

async function begin() {
  const json = name => fetch(name).then(answer => answer.json());
  [state.texts, state.descriptions] = await Promise.all([json("limits.json"), json("variables.json")]);
  drawWindows();
  makeCharts();
  followZoom();
  $("pause").onclick = () => setPaused(!state.paused);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { makeCharts(); plan(); });
  new ResizeObserver(() => {
    for (const id in charts) charts[id].setSize({ width: $(id).clientWidth, height: HEIGHTS[id] });
    for (const { chart, place } of smallCharts.values()) chart.setSize({ width: place.clientWidth, height: 54 });
  }).observe($("rates"));
  connect();
}

window.weirWatch = { state, charts };
begin();
