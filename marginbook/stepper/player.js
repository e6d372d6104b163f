// Plays the trials of runs in the plane. Every number comes from the data beside the picture; this only draws.
// Each output carries the script, so that any of them works alone; the first one on a page defines it for all.
window.marginbookStepper = window.marginbookStepper || (() => {
  "use strict";
  const SIDE = 300, MINUS = "\u2212";

  // Geometry. A view is [cx, cy, half]; n and c describe the line n.p = c and the half-plane n.p <= c.
  const place = (v, p) => {
    const k = SIDE / (2 * v[2]);
    return [SIDE / 2 + (p[0] - v[0]) * k, SIDE / 2 - (p[1] - v[1]) * k].map((z) => z.toFixed(1));
  };
  const path = (v, ...points) => "M" + points.map((p) => place(v, p).join(" ")).join("L");
  const corners = (v, n, c) => {
    const norm = Math.hypot(n[0], n[1]), foot = [n[0] * c / norm ** 2, n[1] * c / norm ** 2];
    const far = 4 * (Math.abs(v[0]) + Math.abs(v[1]) + v[2] + Math.hypot(...foot)) / norm;
    const at = (s, t) => [foot[0] + far * (s * n[0] - t * n[1]), foot[1] + far * (s * n[1] + t * n[0])];
    return [at(0, -1), at(0, 1), at(-1, 1), at(-1, -1)];
  };
  const line = (v, n, c) => path(v, ...corners(v, n, c).slice(0, 2));
  const half = (v, n, c) => path(v, ...corners(v, n, c)) + "Z";
  const draw = (kind, d, head) =>
    `<path class="mb-${kind}" d="${d}"${head ? ` marker-end="url(#${head})"` : ""}/>`;

  // What run r knew after trial t: hypotheses are [w1, w2, b, |w|, margin], the first one before any trial.
  // A run whose weights shrink at every trial has more moves than updates.
  const count = (at, t) => at.filter((s) => s <= t).length;
  const updates = (r, t) => count(r.at, t), moves = (r, t) => count(r.moves || r.at, t);
  const hypothesis = (r, t) => r.w[moves(r, t)];
  const pair = (r, t) => r.pair ? r.pair[updates(r, t)] : [];
  const size = (r, w) => r.q ? (Math.abs(w[0]) ** r.q + Math.abs(w[1]) ** r.q) ** (1 / r.q) : Math.hypot(w[0], w[1]);
  const limit = (r, t) => Array.isArray(r.threshold) ? r.threshold[t - 1] : r.threshold;
  const over = (r, t) => t > r.score.length;

  function inInstances(data, r, t, id) {
    const v = data.view, w = hypothesis(r, t), old = hypothesis(r, Math.max(t - 1, 0));
    const current = t > 0 && !over(r, t), moved = current && w !== old;
    const norm = size(r, w), tip = (h) => [r.arrow * h[0], r.arrow * h[1]];
    const out = [];
    if (norm) {
      if (w[4] > 0) {
        const [p, q] = corners(v, w, w[4] * norm - w[2]), [a, b] = corners(v, w, -w[4] * norm - w[2]);
        out.push(draw("band", path(v, p, q, b, a) + "Z"));
      }
      const c = limit(r, Math.min(Math.max(t, 1), r.score.length));
      if (c > 0) for (const s of [c, -c]) out.push(draw("threshold", line(v, w, s - w[2])));
    }
    if (moved && Math.hypot(old[0], old[1])) out.push(draw("old", line(v, old, -old[2])));
    if (norm) out.push(draw("line", line(v, w, -w[2])));
    const fired = current && r.at.includes(t), ends = fired ? pair(r, t).map((i) => data.x[i]).reverse() : [];
    if (ends.length) out.push(draw("ray", path(v, ...ends)));
    else if (current && !r.pair) out.push(draw("ray", path(v, [0, 0], data.x[data.order[t - 1]])));
    if (moved) out.push(draw("w0", path(v, [0, 0], tip(old))));
    if (norm) out.push(draw("w", path(v, [0, 0], tip(w)), id + "-w"));
    if (moved) out.push(draw("u", path(v, tip(old), tip(w)), id + "-u"));
    return out.join("");
  }

  function inWeights(data, r, t, id) {
    const v = r.view, k = moves(r, t), w = r.w[k], out = [], two = pair(r, t).map((i) => data.x[i]);
    const moved = k && (r.moves || r.at)[k - 1] === t;
    const along = two.length && moved ? [0, 1].map((j) => (two[0][j] - two[1][j]) / 2) : 0;
    const now = t > 0 && !over(r, t) ? data.order[t - 1] : -1;
    data.x.forEach((x, i) => {
      const y = data.y[i], n = [y * x[0], y * x[1]];
      if (!Math.hypot(...n)) return;
      const c = (i === now ? limit(r, t) : Array.isArray(r.threshold) ? 0 : r.threshold) - y * w[2];
      out.push(draw(i === now && !along ? "no mb-now" : "no", half(v, n, c)));
      if (i === now && !along) out.push(draw("constraint", line(v, n, c)));
    });
    if (along) out.push(draw("no mb-now mb-z", half(v, along, 1)), draw("constraint", line(v, along, 1)));
    out.push(draw("trail", path(v, ...r.w.slice(0, k + 1))));
    if (w[0] || w[1]) out.push(draw("w", path(v, [0, 0], w), id + "-w"));
    if (moved) out.push(draw("u", path(v, r.w[k - 1], w), id + "-u"));
    return `<g style="--shade:${Math.min(0.12, 0.8 / data.y.length)}">${out.join("")}</g>`;
  }

  // The numbers beside the picture, in the order in which marginbook wrote their names.
  function numbers(data, r, t) {
    const k = moves(r, t), w = r.w[k], current = t > 0 && !over(r, t), fired = current && r.at.includes(t);
    const moved = current && (r.moves || r.at)[k - 1] === t;
    const y = current ? data.y[data.order[t - 1]] : 0, show = (z) => z == null ? "\u2013" : String(z);
    const trial = current ? [r.score[t - 1], y * r.score[t - 1] + 0, limit(r, t), fired ? "yes" : "no"]
      : [null, null, null, t ? "stopped" : null];
    const move = current ? [moved ? r.scale[k - 1] : 1, moved ? r.step[k - 1] : 0] : [];
    const n = updates(r, t), rows = r.pair ? [pair(r, t).join(", ") || null] : [];
    return [trial[0], trial[1], trial[2], trial[3], move[0], move[1], w[2], w[3], w[4], n].concat(rows)
      .map((z) => show(z).replace("-", MINUS));
  }

  function describe(data, t) {
    if (!t) return "Before the first trial";
    const i = data.order[t - 1], y = data.y[i] > 0 ? "+1" : MINUS + "1";
    return `Trial ${t} of ${data.order.length}, epoch ${count(data.epochs, t)}: row ${i} of X, y = ${y}`;
  }

  function start(root) {
    const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
    const end = data.order.length, figures = [...root.querySelectorAll("figure")];
    const say = root.querySelector(".mb-say"), bar = document.createElement("div");
    let t = end, timer = 0;
    const weights = () => root.classList.contains("mb-weights");

    function show() {
      say.textContent = describe(data, t);
      figures.forEach((figure, j) => {
        const r = data.runs[j], svg = figure.querySelector("svg"), id = `${root.id}-${j}`;
        svg.querySelector(".mb-live").innerHTML = (weights() ? inWeights : inInstances)(data, r, t, id);
        const rings = pair(r, t).map((i) => ["pair", i, 7]);
        if (t && !over(r, t)) rings.push(["ring", data.order[t - 1], 9.5]);
        svg.querySelector(".mb-mark").innerHTML = rings.map(([kind, i, radius]) => {
          const [x, y] = place(data.view, data.x[i]);
          return `<circle class="mb-${kind} mb-x" cx="${x}" cy="${y}" r="${radius}"/>`;
        }).join("");
        const shown = numbers(data, r, t), state = over(r, t) ? "stopped" : `${shown[9]} updates, margin ${shown[8]}`;
        svg.setAttribute("aria-label", `${data.alt}. ${r.name}. ${say.textContent}; ${state}.`);
        figure.querySelectorAll("dd").forEach((dd, f) => { dd.textContent = shown[f]; });
      });
      for (const name of ["reset", "back"]) buttons[name].disabled = t === 0;
      for (const name of ["step", "next"]) buttons[name].disabled = t === end;
      buttons.play.textContent = timer ? "Pause" : "Play";
      buttons.space.setAttribute("aria-pressed", weights());
    }
    function go(to) {
      t = Math.min(Math.max(to, 0), end);
      if (t === end) pause();
      show();
    }
    function pause() {
      clearTimeout(timer);
      timer = 0;
      say.setAttribute("aria-live", "polite");
    }
    function tick() {
      timer = root.isConnected ? setTimeout(() => { tick(); go(t + 1); }, 900 / speed.value) : 0;
    }
    const nextUpdate = () => Math.min(end, ...data.runs.flatMap((r) => r.at.filter((s) => s > t).slice(0, 1)));
    const act = {
      reset: () => { pause(); go(0); },
      back: () => { pause(); go(t - 1); },
      play: () => {
        if (timer) { pause(); show(); return; }
        say.setAttribute("aria-live", "off");
        tick();
        go(t === end ? 0 : t);
      },
      step: () => { pause(); go(t + 1); },
      next: () => { pause(); go(nextUpdate()); },
      space: () => { root.classList.toggle("mb-weights"); show(); },
    };
    const labels = { reset: ["Reset", "Home"], back: ["Back", "left arrow"], play: ["Play", "space"],
      step: ["Step", "right arrow"], next: ["Next update", "N"], space: ["Weight space", "W"] };
    const buttons = {};
    for (const [name, [text, key]] of Object.entries(labels)) {
      const button = buttons[name] = document.createElement("button");
      Object.assign(button, { type: "button", textContent: text, title: "Key: " + key, onclick: act[name] });
      bar.append(button);
    }
    const label = document.createElement("label"), speed = document.createElement("select");
    speed.innerHTML = [0.5, 1, 2, 4].map((s) => `<option value="${s}"${s === 1 ? " selected" : ""}>${s}\u00d7</option>`).join("");
    label.append("Speed ", speed);
    bar.append(label);
    bar.className = "mb-bar";
    root.querySelector(".mb-still").remove();
    root.insertBefore(bar, root.querySelector(".mb-runs"));
    root.tabIndex = 0;
    root.dataset.lmSuppressShortcuts = "true"; // JupyterLab would take the arrows and the space bar
    const keys = { Home: "reset", ArrowLeft: "back", " ": "play", ArrowRight: "step", n: "next", w: "space" };
    root.addEventListener("keydown", (event) => {
      const name = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      const native = event.target === speed || (event.key === " " && event.target !== root);
      if (!name || native || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      act[name]();
    });
    show();
  }

  return () => document.querySelectorAll(".mb-stepper:not([data-ready])").forEach((root) => {
    root.dataset.ready = "true";
    start(root);
  });
})();
window.marginbookStepper();
