/* Follows a running process: updates its numbers and progress bar, and reloads the page with the errors at the end. */

/** Progress as sent by the server. */
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
