// The widget bundle typesets its labels through MathJax 2's queue. MathJax 3 has none: give it one that
// holds the labels until MathJax is ready, and let it read the $...$ that widgets write.
(() => {
  const early = [];
  const hub = { Queue: ([, , element]) => early.push(element) };
  const startup = {
    ready() {
      MathJax.startup.defaultReady();
      MathJax.startup.promise = MathJax.startup.promise.then(() => MathJax.typesetPromise(early));
      MathJax.Hub = { Queue: ([, , element]) => MathJax.typesetPromise([element]) };
    },
  };
  const config = window.MathJax ?? {};
  const tex = { ...config.tex, inlineMath: [["$", "$"], ["\\(", "\\)"]] };
  window.MathJax = { ...config, Hub: hub, startup, tex };
})();
