/*
 * Runs the demo on the front page without page loads: sends the forms, shows the HTML that the server rendered, and
 * checks for changes every two seconds.
 */

const REFRESH_MILLIS = 2_000;
/** Parts that are updated even while somebody may be typing. */
const LIVE_PARTS = ['demo-card', 'demo-feed'];

const NO_ANSWER = 'The service doesn’t answer. Is it still running?';

const section = document.querySelector<HTMLElement>('#demo');
/** Increases with every form, so that an older reply never replaces a newer one. */
let sendCount = 0;
let isSending = false;

function showStatus(text: string): void {
  const status = document.querySelector('#demo-status');
  if (status) status.textContent = text;
}

/** Parses the page in a reply without its style element: this page's policy refuses a style with another nonce. */
async function pageOf(reply: Response): Promise<Document> {
  const html = await reply.text();
  const [start, end] = [html.indexOf('<style'), html.indexOf('</style>')];
  return new DOMParser().parseFromString(html.slice(0, start) + html.slice(end), 'text/html');
}

/**
 * Applies the card's colors. They are a CSS rule for its class, which a script may add to the style sheet with the
 * nonce.
 */
function replaceColors(page: Document): void {
  const rule = page.getElementById('demo-card')?.dataset.colors;
  const sheet = document.querySelector<HTMLStyleElement>('head style')?.sheet;
  if (rule && sheet) sheet.insertRule(rule, sheet.cssRules.length);
}

/** Replaces a part if it differs, and marks new entries of the timeline. */
function replacePart(page: Document, id: string): boolean {
  const [fresh, old] = [page.getElementById(id), document.getElementById(id)];
  if (!fresh || !old || fresh.outerHTML === old.outerHTML) return false;
  for (const entry of entriesIn(fresh)) {
    if (!entriesIn(old).some(({ dataset }) => dataset.id === entry.dataset.id)) entry.classList.add('is-new');
  }
  old.replaceWith(fresh);
  fresh.classList.add('is-changed');
  return true;
}

const entriesIn = (part: ParentNode): HTMLElement[] => [...part.querySelectorAll<HTMLElement>('[data-id]')];

async function send(form: HTMLFormElement, button: HTMLElement | null): Promise<void> {
  const isNew = form.classList.contains('demo-new');
  sendCount += 1;
  showStatus('Sending …');
  const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  const reply = await fetch(form.action, { method: 'POST', body });
  if (!reply.ok) {
    const { ErrorMessage } = (await reply.json()) as { ErrorMessage: string };
    return showStatus(ErrorMessage);
  }
  const page = await pageOf(reply);
  if (isNew) showNew(page, reply.url);
  else {
    replaceParts(page, [...LIVE_PARTS, 'demo-actions']);
    document.getElementById(button?.id ?? '')?.focus();
  }
  // The form's own effect comes before its consequences, such as the voiding by a scan. Pushes of earlier changes may
  // be new, too.
  const done = [...document.querySelectorAll('#demo-feed .is-new[data-action] span')].at(-1);
  showStatus(done?.textContent ?? (isNew ? 'Created' : 'Nothing has changed'));
}

/** Replaces these parts where they differ. Returns whether any did. */
function replaceParts(page: Document, ids: string[]): boolean {
  replaceColors(page);
  return ids.map((id) => replacePart(page, id)).some(Boolean);
}

/** Replaces the shown pass with a new one and moves the focus to its heading. */
function showNew(page: Document, address: string): void {
  const fresh = page.querySelector('.demo-pass');
  if (!fresh) return;
  replaceColors(page);
  document.querySelector('.demo-pass')?.remove();
  section?.append(fresh);
  fresh.classList.add('is-new');
  history.replaceState(null, '', address);
  document.getElementById('demo-pass-title')?.focus({ preventScroll: true });
  fresh.scrollIntoView({ block: 'nearest' });
}

async function refresh(): Promise<void> {
  const before = sendCount;
  if (isSending || document.hidden || !document.querySelector('.demo-pass')) return;
  const reply = await fetch(location.href);
  if (!reply.ok) return;
  const page = await pageOf(reply);
  if (before !== sendCount) return;
  replaceColors(page);
  const hasChanged = LIVE_PARTS.map((id) => replacePart(page, id)).some(Boolean);
  if (hasChanged && !document.querySelector('#demo-actions')?.contains(document.activeElement))
    replacePart(page, 'demo-actions');
}

async function keepRefreshing(): Promise<void> {
  // The service may be restarting; the next check finds it again.
  await refresh().catch(() => {});
  setTimeout(keepRefreshing, REFRESH_MILLIS);
}

section?.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (isSending) return;
  isSending = true;
  await send(event.target as HTMLFormElement, event.submitter).catch(() => showStatus(NO_ANSWER));
  isSending = false;
});
setTimeout(keepRefreshing, REFRESH_MILLIS);
