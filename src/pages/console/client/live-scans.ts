/* Shows new scans in the open list. It polls their number, and reloads the list when the number has changed. */

const POLL_MILLIS = 4_000;

let isPaused = false;
const live = document.querySelector<HTMLElement>('[data-live]');

function tell(text: string): void {
  const status = document.querySelector('.live');
  if (status && status.textContent !== text) status.textContent = text;
}

const idsIn = (root: ParentNode) =>
  [...root.querySelectorAll<HTMLElement>('[data-id]')].map(({ dataset }) => dataset.id);

/** Returns the number of scans; undefined after the session has ended. Throws if the service can't answer. */
async function total(): Promise<string | undefined> {
  const reply = await fetch(live?.dataset.live ?? '', { headers: { Accept: 'application/json' } });
  if (reply.redirected || reply.status === 401 || reply.status === 403) return undefined;
  if (!reply.ok) throw new Error(`The service replied with ${reply.status}`);
  const { total } = (await reply.json()) as { total: number };
  return String(total);
}

/** Replaces the list, unless the keyboard focus is in it. */
async function reload(): Promise<void> {
  const reply = await fetch(location.href);
  const page = new DOMParser().parseFromString(await reply.text(), 'text/html');
  const [fresh, list] = [page.querySelector<HTMLElement>('.live-list'), document.querySelector('.live-list')];
  if (!live || !fresh || !list) return;
  if (list.contains(document.activeElement)) return tell('There are new scans');
  const before = new Set(idsIn(list));
  const added = [...fresh.querySelectorAll<HTMLElement>('[data-id]')].filter(({ dataset }) => !before.has(dataset.id));
  for (const row of added) row.classList.add('is-new');
  list.replaceChildren(...fresh.childNodes);
  live.dataset.total = page.querySelector<HTMLElement>('[data-live]')?.dataset.total;
  const count = document.querySelector('#count');
  if (count) count.textContent = page.querySelector('#count')?.textContent ?? '';
  tell(added.length === 1 ? '1 new scan' : `${added.length} new scans`);
}

async function poll(): Promise<void> {
  if (!isPaused && !document.hidden) {
    try {
      const now = await total();
      if (now === undefined) return tell('Sign in again to see new scans');
      if (now !== live?.dataset.total) await reload();
      else if (document.querySelector('.live')?.textContent === OFFLINE) tell('Live');
    } catch {
      tell(OFFLINE);
    }
  }
  setTimeout(poll, POLL_MILLIS);
}

const OFFLINE = 'No connection. Trying again';

/** Automatic updates must be pausable (WCAG 2.2, success criterion 2.2.2). */
function addPause(): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button small quiet';
  const name = () => {
    button.textContent = isPaused ? 'Show new scans' : 'Pause';
  };
  button.addEventListener('click', () => {
    isPaused = !isPaused;
    name();
    tell(isPaused ? 'Paused' : 'Live');
  });
  name();
  live?.querySelector('header')?.append(button);
}

if (live) {
  addPause();
  tell('Live');
  setTimeout(poll, POLL_MILLIS);
}
