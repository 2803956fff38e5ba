/*
 * Keyboard and pointer support for charts: one tab stop per chart, arrow keys move between bars, and the text of the
 * current bar is shown above.
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
