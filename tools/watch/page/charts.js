// SPDX-License-Identifier: LGPL-2.1-or-later
// How figures are written, and the three charts and the small ones on one time axis.
"use strict";

const colourOf = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

// The bar above the curves and the dot of the sentence.
const limitColour = limit => colourOf(limit === "loss" ? "limit-loss" : limit);

function digits(value, places) {
  return value.toFixed(Math.max(0, places));
}

function significant(value, count = 3) {
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  if (magnitude < -4 || magnitude > 9) return value.toExponential(2);
  return digits(value, count - 1 - magnitude);
}

function bitrate(bps) {
  if (bps === 0) return ["0", "bit/s"];
  if (bps >= 1e6) return [digits(bps / 1e6, bps < 1e7 ? 2 : 1), "Mbit/s"];
  return [digits(bps / 1e3, bps < 1e4 ? 1 : 0), "kbit/s"];
}

const milliseconds = ms => [ms === 0 ? "0" : digits(ms, ms < 10 ? 1 : 0), "ms"];
const percent = value => [value === 0 ? "0" : digits(value, value < 10 ? 2 : 1), "%"];
const written = (format, value) => value == null ? "–" : format(value).join(" ");

// Rows of a link stand between those of the sender: what held before is shown.
function heldAt(values, index) {
  while (index >= 0 && values[index] == null) index--;
  return index >= 0 ? values[index] : null;
}

function clock(seconds) {
  const whole = Math.floor(seconds), rest = seconds - whole;
  const two = n => String(n).padStart(2, "0");
  const text = whole >= 3600 ? `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
    : `${Math.floor(whole / 60)}:${two(whole % 60)}`;
  return rest > 0.04 ? text + rest.toFixed(1).slice(1) : text;
}

// Units stand at the end of a variable's name.
const UNITS = [["_bytes_per_s", v => bitrate(8 * v)], ["_packets_per_s", v => [significant(v), "packets/s"]],
  ["_bps", bitrate], ["_ns", v => milliseconds(v / 1e6)], ["_packets", v => [significant(v), "packets"]],
  ["_bytes", v => [v >= 1e4 ? significant(v / 1e3) : digits(v, 0), v >= 1e4 ? "kB" : "bytes"]],
  ["_ratio", v => percent(100 * v)], ["_rate", v => percent(100 * v)], ["_fraction", v => percent(100 * v)]];

function variableFormat(name) {
  const unit = UNITS.find(([ending]) => name.endsWith(ending));
  return unit ? unit[1] : value => [significant(value), ""];
}

const steps = uPlot.paths.stepped({ align: 1 });

// source: "sender" or "link"; a fill may be under a curve.
const SERIES = {
  rates: [
    { column: "capacity_bps", label: "capacity", colour: "capacity", fill: "capacity-fill", source: "link", paths: steps },
    { column: "allowed_bps", label: "allowed", colour: "allowed", width: 1 },
    { column: "target_bps", label: "target", colour: "target", width: 2 },
    { column: "encoder_bps", label: "encoder", colour: "encoder" },
    { column: "sent_bps", label: "sent", colour: "sent" },
    { column: "delivered_bps", label: "delivered", colour: "delivered", dash: [5, 3] },
  ],
  delays: [
    { column: "link_queue_ms", label: "queue of the link", colour: "link-queue", source: "link", dash: [2, 2] },
    { column: "queueing_ms", label: "queueing delay", colour: "queue", fill: "queue-fill" },
    { column: "rtt_ms", label: "round trip", colour: "rtt" },
    { column: "send_queue_ms", label: "send queue", colour: "wait" },
  ],
  losses: [{ column: "loss_percent", label: "loss", colour: "loss", fill: "loss-fill" }],
};
const FORMATS = { rates: bitrate, delays: milliseconds, losses: percent };
const HEIGHTS = { rates: 250, delays: 150, losses: 90 };
const LEAST_TOP = { rates: 1e5, delays: 20, losses: 1 };
const SYNC = uPlot.sync("weir");
const BAR = 7; // height of the bar of limits, in CSS pixels

function axes(format, small) {
  const line = { stroke: colourOf("quiet"), font: "11px system-ui", grid: { stroke: colourOf("grid"), width: 1 }, ticks: { show: false } };
  return [
    { ...line, size: 22, show: !small, space: 70, values: (u, ticks) => ticks.map(clock) },
    { ...line, size: small ? 0 : 74, show: !small, values: (u, ticks) => ticks.map(v => written(format, v)) },
  ];
}

// A bar above the curves: what limited the rate when. limits: [[time, word], ...]
function limitBar(limits) {
  return u => {
    const { ctx, bbox } = u, all = limits();
    const right = u.scales.x.max;
    ctx.save();
    for (let i = 0; i < all.length; i++) {
      const [from, limit] = all[i], to = i + 1 < all.length ? all[i + 1][0] : right;
      const a = Math.max(u.valToPos(from, "x", true), bbox.left), b = Math.min(u.valToPos(to, "x", true), bbox.left + bbox.width);
      if (b <= a || !limit) continue;
      ctx.fillStyle = limitColour(limit);
      ctx.fillRect(a, bbox.top, b - a, BAR * devicePixelRatio);
    }
    ctx.restore();
  };
}

function makeChart(id, place, limits) {
  const format = FORMATS[id];
  const series = SERIES[id].map(s => ({
    label: s.label, stroke: colourOf(s.colour), fill: s.fill && colourOf(s.fill), width: s.width || 1.5, dash: s.dash, paths: s.paths,
    spanGaps: true, points: { show: false }, value: (u, v, i, at) => at == null ? "–" : written(format, heldAt(u.data[i], at)),
  }));
  const headroom = id === "rates" ? 1.12 : 1.05;
  return new uPlot({
    width: place.clientWidth, height: HEIGHTS[id],
    cursor: { sync: { key: SYNC.key, setSeries: false }, drag: { x: true, y: false } },
    scales: { x: { time: false }, y: { range: (u, low, high) => [0, Math.max((high || 0) * headroom, LEAST_TOP[id])] } },
    series: [{ label: "time", value: (u, v) => v == null ? "–" : clock(v) }, ...series],
    axes: axes(format, false),
    hooks: limits ? { drawClear: [limitBar(limits)] } : {},
  }, [[], ...series.map(() => [])], place);
}

function makeSmallChart(place, name) {
  return new uPlot({
    width: place.clientWidth, height: 54, legend: { show: false }, padding: [4, 0, 4, 0],
    cursor: { sync: { key: SYNC.key }, drag: { x: true, y: false }, y: false },
    scales: { x: { time: false }, y: { range: (u, low, high) => low === high ? [low - 1, high + 1] : [low, high] } },
    series: [{}, { stroke: colourOf("accent"), width: 1.2, spanGaps: true, points: { show: false } }],
    axes: axes(variableFormat(name), true),
  }, [[], []], place);
}
