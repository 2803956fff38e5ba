/*
 * Lets the demo of the front page work without leaving the page: it sends the forms, puts the parts anew that the server
 * has drawn, and looks every two seconds whether something has happened elsewhere.
 */

const LOOK_MILLIS = 2_000;
/** Parts that follow the pass while somebody may be typing. */
const LIVE_PARTS = ['demo-card', 'demo-feed'];

const section = document.querySelector<HTMLElement>('#demo');
/** Rises with every form, so that an older look at the page never comes after a newer one. */
let turn = 0;

function say(text: string): void {
  const status = document.querySelector('#demo-status');
  if (status) status.textContent = text;
}

async function pageOf(reply: Response): Promise<Document> {
  return new DOMParser().parseFromString(await reply.text(), 'text/html');
}

/** Colors of a card are a style with a nonce, which a script cannot add: its sheet takes the rules. */
function takeColors(page: Document): void {
  const fresh = page.querySelector('head style')?.textContent ?? '';
  const sheet = document.querySelector<HTMLStyleElement>('head style')?.sheet;
  if (!sheet) return;
  while (sheet.cssRules.length > 0) sheet.deleteRule(0);
  for (const rule of fresh.match(/[^}]+}/g) ?? []) sheet.insertRule(rule, sheet.cssRules.length);
}

/** Puts a part anew if it differs; new entries of the timeline are marked. */
function take(page: Document, id: string): boolean {
  const [fresh, old] = [page.getElementById(id), document.getElementById(id)];
  if (!fresh || !old || fresh.outerHTML === old.outerHTML) return false;
  const before = new Set([...old.querySelectorAll<HTMLElement>('[data-id]')].map(({ dataset }) => dataset.id));
  for (const entry of fresh.querySelectorAll<HTMLElement>('[data-id]')) {
    if (!before.has(entry.dataset.id)) entry.classList.add('is-new');
  }
  old.replaceChildren(...fresh.childNodes);
  return true;
}

async function send(form: HTMLFormElement, button: HTMLElement | null): Promise<void> {
  const isNew = form.classList.contains('demo-new');
  turn += 1;
  say('Sending …');
  const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  const reply = await fetch(form.action, { method: 'POST', body });
  if (!reply.ok) {
    const { ErrorMessage } = (await reply.json()) as { ErrorMessage: string };
    return say(ErrorMessage);
  }
  const page = await pageOf(reply);
  takeColors(page);
  if (isNew || !document.querySelector('.demo-pass')) showNew(page, reply.url);
  else {
    for (const id of [...LIVE_PARTS, 'demo-actions']) take(page, id);
    document.getElementById(button?.id ?? '')?.focus();
  }
  say(document.querySelector('#demo-feed li span')?.textContent ?? '');
}

/** A new pass takes the place of the one before; its heading gets the focus. */
function showNew(page: Document, address: string): void {
  const fresh = page.querySelector('.demo-pass');
  if (!fresh) return;
  document.querySelector('.demo-pass')?.remove();
  section?.append(fresh);
  fresh.classList.add('is-new');
  history.replaceState(null, '', address);
  document.getElementById('demo-pass-title')?.focus({ preventScroll: true });
  fresh.scrollIntoView({ block: 'nearest' });
}

async function look(): Promise<void> {
  const before = turn;
  if (document.hidden || !document.querySelector('.demo-pass')) return;
  const reply = await fetch(location.href);
  if (!reply.ok) return;
  const page = await pageOf(reply);
  if (before !== turn) return;
  takeColors(page);
  const hasMoved = LIVE_PARTS.map((id) => take(page, id)).some(Boolean);
  if (hasMoved && !document.querySelector('#demo-actions')?.contains(document.activeElement))
    take(page, 'demo-actions');
}

async function keepLooking(): Promise<void> {
  // The service may be starting anew; the next look finds it again.
  await look().catch(() => {});
  setTimeout(keepLooking, LOOK_MILLIS);
}

section?.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  event.preventDefault();
  send(form, event.submitter).catch(() => say('The service doesn’t answer. Is it still running?'));
});
setTimeout(keepLooking, LOOK_MILLIS);
