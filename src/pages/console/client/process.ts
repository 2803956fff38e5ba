/*
 * Follows a process while it runs: its numbers and its bar move, and when it has ended the page is drawn anew with what
 * went wrong.
 */

/** Progress as the server sends it. */
interface Told {
  current: number;
  total: number;
  failed: number;
  cancelled: number;
  isFinished: boolean;
}

const panel = document.getElementById('process')!;
const bar = panel.querySelector('progress')!;

if (panel.dataset.events) {
  const events = new EventSource(panel.dataset.events);
  events.addEventListener('process', ({ data }) => {
    const told = JSON.parse(data as string) as Told;
    for (const name of ['current', 'total', 'failed', 'cancelled'] as const) {
      const place = panel.querySelector(`[data-told="${name}"]`);
      if (place) place.textContent = told[name].toLocaleString('en');
    }
    bar.max = Math.max(1, told.total);
    bar.value = told.current;
    if (!told.isFinished) return;
    events.close();
    location.replace(location.href);
  });
}
