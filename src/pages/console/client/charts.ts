/*
 * Charts by keyboard and pointer: one tab stop a chart, arrows go from bar to bar, and what a bar says stands above it.
 */

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

function read(bar: Element): void {
  const readout = bar.closest('.chart-box')?.querySelector('.readout');
  if (readout) readout.textContent = bar.getAttribute('aria-label');
}

for (const chart of document.querySelectorAll('.chart')) {
  const bars = [...chart.querySelectorAll<SVGGElement>('.bar')];
  const only = (current: SVGGElement | undefined) => {
    for (const bar of bars) bar.setAttribute('tabindex', bar === current ? '0' : '-1');
  };
  only(bars.at(-1));
  for (const [i, bar] of bars.entries()) {
    bar.addEventListener('pointerenter', () => read(bar));
    bar.addEventListener('focus', () => read(bar));
    bar.addEventListener('keydown', ({ key }) => {
      const target = key === 'Home' ? bars[0] : key === 'End' ? bars.at(-1) : bars[i + (STEPS[key] ?? Number.NaN)];
      if (!target) return;
      only(target);
      target.focus();
    });
  }
}
