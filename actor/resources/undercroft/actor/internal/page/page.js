'use strict';
// Draws the state of an actor system once a second. Every text of the system is set as text, never
// as markup.

const everyMillis = 1000;
const timeoutMillis = 10000;
const slowestCount = 5;
const deepestIndent = 40;
const keptSeconds = 300;
const leastSeconds = 60;

const byId = id => document.getElementById(id);

let sortedBy = 'tree';
let before = null; // the last state, for rates
let latest = [];
let history = []; // of the last keptSeconds, the oldest state first
let lostAt = null; // since when there is no connection

const element = (name, text, className) => {
  const result = document.createElement(name);
  if (text !== undefined) result.textContent = text;
  if (className) result.className = className;
  return result;
};

const whole = number => Math.round(number).toLocaleString('en');

/** The actors with their rates since the state before. */
function withRates(state) {
  const seconds = before ? (state.atNanos - before.atNanos) / 1e9 : 0;
  const earlier = new Map(before ? before.tree.actors.map(actor => [actor.number, actor]) : []);
  return state.tree.actors.map(actor => {
    const old = earlier.get(actor.number);
    if (!old || seconds <= 0) return { ...actor, perSecond: 0, busy: 0, perMessage: 0 };
    const handled = actor.handled - old.handled;
    const busyNanos = actor.busyNanos - old.busyNanos;
    return {
      ...actor,
      perSecond: handled / seconds,
      busy: busyNanos / 1e9 / seconds,
      perMessage: handled > 0 ? busyNanos / 1000 / handled : 0,
    };
  });
}

function drawActors() {
  const actors = sortedBy === 'tree'
    ? latest
    : [...latest].sort((a, b) => b[sortedBy] - a[sortedBy] || a.number - b.number);
  const rows = actors.map(actor => {
    const row = element('tr');
    const name = element('td', actor.name);
    if (sortedBy === 'tree') name.style.paddingLeft = `${16 * Math.min(actor.depth, deepestIndent)}px`;
    row.append(name, element('td', actor.state));
    for (const count of ['waiting', 'stashed', 'handled']) row.append(element('td', whole(actor[count])));
    for (const count of ['failed', 'dead', 'restarts'])
      row.append(element('td', whole(actor[count]), actor[count] > 0 ? 'warn' : ''));
    row.append(
      element('td', whole(actor.perSecond)),
      element('td', `${(100 * actor.busy).toFixed(1)} %`),
      element('td', actor.perMessage > 0 ? actor.perMessage.toFixed(1) : ''));
    return row;
  });
  document.querySelector('#actors tbody').replaceChildren(...rows);
  for (const button of document.querySelectorAll('#actors button'))
    button.setAttribute('aria-pressed', button.dataset.by === sortedBy);
}

function drawSlowest() {
  const slowest = latest.filter(actor => actor.perMessage > 0)
    .sort((a, b) => b.perMessage - a.perMessage).slice(0, slowestCount);
  byId('slowest').replaceChildren(...slowest.map(actor =>
    element('li', `${actor.name}: ${actor.perMessage.toFixed(1)} µs a message, ${whole(actor.perSecond)} messages a second`)));
}

const duration = nanos => nanos < 1e3 ? `${nanos} ns`
  : nanos < 1e6 ? `${(nanos / 1e3).toPrecision(3)} µs`
  : nanos < 1e9 ? `${(nanos / 1e6).toPrecision(3)} ms`
  : `${(nanos / 1e9).toPrecision(3)} s`;

/** The duration that a share of the messages did not exceed, of buckets in ascending order. */
function quantile(buckets, count, share) {
  const rank = Math.max(1, Math.ceil(share * count));
  let sum = 0;
  for (const [, nanos, inBucket] of buckets) {
    sum += inBucket;
    if (sum >= rank) return nanos;
  }
  return 0;
}

/** The median and the 99th percentile of the messages since the state before, and the maximum.
  * Returns the percentile, undefined without messages. */
function drawDurations(state) {
  const old = new Map(before ? before.durations.buckets.map(([at, , count]) => [at, count]) : []);
  const buckets = state.durations.buckets.map(([at, nanos, count]) => [at, nanos, count - (old.get(at) ?? 0)]);
  const count = buckets.reduce((sum, [, , inBucket]) => sum + inBucket, 0);
  if (count === 0) return undefined;
  const slowNanos = quantile(buckets, count, 0.99);
  byId('durations').textContent = `a message since the last update: ` +
    `p50 ${duration(quantile(buckets, count, 0.5))}, p99 ${duration(slowNanos)}; ` +
    `longest of all: ${duration(state.durations.maxNanos)}`;
  return slowNanos;
}

/** The text of a value of each line. */
const shown = { perSecond: whole, waiting: whole, slowNanos: duration };

/** The lines over time: each of its own scale, from 0 to the maximum that is shown. */
function drawLines() {
  const end = history.at(-1).atNanos;
  const seconds = Math.max(leastSeconds, (end - history[0].atNanos) / 1e9);
  for (const figure of document.querySelectorAll('#lines figure')) {
    const key = figure.dataset.of;
    const points = history.filter(point => point[key] !== undefined);
    if (points.length === 0) continue;
    const max = Math.max(...points.map(point => point[key]));
    figure.querySelector('output').textContent =
      `${shown[key](points.at(-1)[key])}, maximum of the last ${Math.round(seconds)} s ${shown[key](max)}`;
    figure.querySelector('polyline').setAttribute('points', points.map(point => {
      const x = 300 * (1 - (end - point.atNanos) / 1e9 / seconds);
      return `${x.toFixed(1)},${(60 - 58 * point[key] / Math.max(max, 1)).toFixed(1)}`;
    }).join(' '));
  }
}

function eventOf(event) {
  const item = element('li');
  const head = element(event.stack.length > 0 ? 'summary' : 'span');
  head.append(
    element('time', new Date(event.atMillis).toLocaleTimeString()),
    element('b', event.actor), ` ${event.text}`);
  if (event.stack.length === 0) item.append(head);
  else {
    const details = element('details');
    details.dataset.key = `${event.atMillis} ${event.actor}`;
    details.append(head, element('pre', event.stack.join('\n')));
    item.append(details);
  }
  return item;
}

function drawEvents(kinds) {
  const open = new Set([...document.querySelectorAll('#events details[open]')].map(d => d.dataset.key));
  byId('events').replaceChildren(...kinds.map(kind => {
    const section = element('section');
    const list = element('ul');
    list.append(...kind.recent.toReversed().map(eventOf));
    section.append(element('h2', `${kind.kind}: ${whole(kind.count)}`), list);
    return section;
  }));
  for (const details of document.querySelectorAll('#events details'))
    details.open = open.has(details.dataset.key);
}

function draw(state) {
  latest = withRates(state);
  const perSecond = latest.reduce((sum, actor) => sum + actor.perSecond, 0);
  document.title = `${state.system}: actors`;
  byId('system').textContent = state.system;
  byId('totals').className = state.isStopped ? 'warn' : '';
  byId('totals').textContent = state.isStopped
    ? 'the system has stopped'
    : `actors: ${whole(state.actorCount)}, waiting messages: ${whole(state.waiting)}, messages a second: ${whole(perSecond)}`;
  const omitted = state.actorCount - state.tree.actors.length;
  byId('omitted').textContent = omitted > 0 ? `not shown, because they have fewer waiting messages: ${whole(omitted)}` : '';
  drawActors();
  drawSlowest();
  const slowNanos = drawDurations(state);
  const oldest = state.atNanos - keptSeconds * 1e9;
  history = history.filter(point => point.atNanos >= oldest);
  history.push({
    atNanos: state.atNanos, waiting: state.waiting, slowNanos, perSecond: before ? perSecond : undefined,
  });
  drawLines();
  drawEvents(state.events);
  before = state;
}

async function update() {
  try {
    const response = await fetch('state.json', { signal: AbortSignal.timeout(timeoutMillis) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    draw(await response.json());
    lostAt = null;
  } catch (error) {
    lostAt ??= new Date();
    byId('totals').className = 'warn';
    byId('totals').textContent = `no connection since ${lostAt.toLocaleTimeString()}: ${error.message}`;
  }
  setTimeout(update, everyMillis);
}

for (const button of document.querySelectorAll('#actors button'))
  button.addEventListener('click', () => { sortedBy = button.dataset.by; drawActors(); });
update();
