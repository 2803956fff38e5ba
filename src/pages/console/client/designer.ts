import { DEPENDENT_PARTS, type DesignerAnswer, type ImageAnswer } from '../templates/designer/protocol.ts';
import { controlOf, showFaults, showFindings } from './designer/faults.ts';
import { addSwatches, putChoices, putPart, rememberLook } from './designer/parts.ts';

/*
 * Enhances the designer's form: previews and validates while typing, edits lists, uploads images and saves without a
 * page load. The server draws and decides everything. Without scripts, the same form works with full pages.
 */

const form = document.querySelector<HTMLFormElement>('#designer')!;
const said = document.querySelector<HTMLElement>('#designer-said')!;
/** Delay after the last keystroke before the form is sent. */
const PAUSE_MILLIS = 250;
const colors = new CSSStyleSheet();
/** Names of controls that were left, or submitted. Only these show errors. */
const touched = new Set<string>();

let faults: Record<string, string> = {};
let errors: Record<string, string> = {};
let others: string[] = [];
let isUnsaved = document.querySelector('.notice.grave') !== null;
let asked = 0;
let pause: ReturnType<typeof setTimeout> | undefined;

document.documentElement.classList.add('scripted');
document.adoptedStyleSheets.push(colors);
addSwatches(form);
showFindings(document.querySelector('#designer-findings')!.innerHTML);

form.addEventListener('input', onInput);
document.querySelector('#preview')!.addEventListener('input', onInput);
form.addEventListener('focusout', ({ target }) => {
  if (!(target instanceof HTMLElement) || !('name' in target)) return;
  touched.add(String(target.name));
  showFaults(faults, errors, touched);
});
form.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  if (target.dataset.upload && target.files?.[0]) void takeImage(target.dataset.upload, target, target.files[0]);
  else if (target.dataset.image && isElsewhere(target.value))
    void takeImage(target.dataset.image, target, target.value);
});
form.addEventListener('submit', onSubmit);
addEventListener('beforeunload', (event) => {
  if (isUnsaved) event.preventDefault();
});

function onInput({ target }: Event): void {
  if (
    !(
      target instanceof HTMLInputElement ||
      target instanceof HTMLTextAreaElement ||
      target instanceof HTMLSelectElement
    )
  )
    return;
  if (target.name === 'part') {
    // Edits in other parts may have changed the placeholders and the texts to translate.
    if (DEPENDENT_PARTS.has(target.value)) void ask({ do: 'part' });
    return;
  }
  if (target.type === 'file') return;
  nameItem(target);
  const isLook = target.name.startsWith('preview.');
  if (isLook) rememberLook(form);
  else unsaved();
  clearTimeout(pause);
  pause = setTimeout(
    () => void ask({ do: 'preview' }),
    target instanceof HTMLSelectElement || isLook ? 0 : PAUSE_MILLIS,
  );
}

/** Updates the labels of an item's buttons with the value of its first control. */
function nameItem(control: HTMLElement & { value: string }): void {
  const item = control.closest('.item');
  if (!item || control.value === '' || control !== item.querySelector('input:not([type="hidden"])')) return;
  for (const button of item.querySelectorAll<HTMLElement>('.icon-button')) {
    button.ariaLabel = `${button.title}: ${control.value}`;
  }
}

function onSubmit(event: SubmitEvent): void {
  const { submitter } = event;
  const command = submitter instanceof HTMLButtonElement && submitter.name === 'do' ? submitter.value : '';
  event.preventDefault();
  clearTimeout(pause);
  if (command === '') void save();
  else void changeList(command);
}

/** Sends the form. Returns undefined if a later request has overtaken this one, or without an answer. */
async function ask(more: Record<string, string>, { isLatest = true } = {}): Promise<DesignerAnswer | undefined> {
  const number = ++asked;
  const sent = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') sent.append(name, value);
  for (const [name, value] of Object.entries(more)) sent.set(name, value);
  const reply = await fetch(form.action, { method: 'POST', headers: { Accept: 'application/json' }, body: sent }).catch(
    () => undefined,
  );
  const isJson = reply?.headers.get('Content-Type')?.includes('json');
  if (!reply || !isJson) {
    say(
      reply?.status === 413
        ? 'This template is too large to save'
        : 'No connection to the service. Your changes are still here',
    );
    return undefined;
  }
  const answer = (await reply.json()) as DesignerAnswer;
  if (isLatest && number !== asked) return undefined;
  apply(answer, sent);
  return answer;
}

function apply(answer: DesignerAnswer, sent: URLSearchParams): void {
  document.querySelector('#preview-picture')!.outerHTML = answer.picture;
  putChoices(form, answer.choices);
  colors.replaceSync(answer.css);
  faults = answer.faults;
  errors = answer.errors;
  others = answer.others;
  if (answer.part) {
    putPart(answer.part, isOrderKept(sent.get('do') ?? '') ? sent : undefined);
    addSwatches(form);
  }
  showFaults(faults, errors, touched);
  showFindings(answer.findings);
}

/** Returns whether controls keep their names after a command. */
const isOrderKept = (command: string): boolean => !/^(up|down|remove):/.test(command);

async function changeList(command: string): Promise<void> {
  unsaved();
  const answer = await ask({ do: command }, { isLatest: false });
  if (!answer?.said) return;
  said.textContent = answer.said;
  focusAfter(command);
}

/** Moves the focus to the new item, or to the button of the moved item. */
function focusAfter(command: string): void {
  const [, verb, list, place] = /^(\w+):(.+?)(?:\.(\d+))?$/.exec(command)!;
  if (verb === 'add') {
    const controls = [...form.elements].filter(
      (one) => 'name' in one && String(one.name).startsWith(`${list}.`) && (one as HTMLInputElement).type !== 'hidden',
    );
    const last = Math.max(
      ...controls.map((one) => Number((one as HTMLInputElement).name.slice(list!.length + 1).split('.')[0])),
    );
    const first = controls.find((one) => (one as HTMLInputElement).name.startsWith(`${list}.${last}.`));
    (first as HTMLElement | undefined)?.focus();
    return;
  }
  const to = verb === 'remove' ? Number(place) : Number(place) + (verb === 'up' ? -1 : 1);
  const wanted = [`${verb}:${list}.${to}`, `${verb === 'up' ? 'down' : 'up'}:${list}.${to}`, `add:${list}`];
  const buttons = wanted.map((value) => form.querySelector<HTMLButtonElement>(`button[value="${value}"]`));
  buttons.find((button) => button && !button.disabled)?.focus();
}

async function save(): Promise<void> {
  const wasUnsaved = isUnsaved;
  isUnsaved = false;
  say('Saving …');
  const answer = await ask({}, { isLatest: false });
  isUnsaved = wasUnsaved;
  if (!answer) return;
  if (answer.conflict) {
    // A conflict needs the whole page.
    isUnsaved = false;
    form.submit();
    return;
  }
  if (answer.saved !== undefined) {
    isUnsaved = false;
    touched.clear();
    (form.elements.namedItem('version') as HTMLInputElement).value = String(answer.saved);
    document.querySelector('#save-state')!.outerHTML = answer.state!;
    say('Saved');
    return;
  }
  for (const name of Object.keys(faults)) touched.add(name);
  showFaults(faults, errors, touched);
  const count = Object.keys(faults).length + others.length;
  say(others[0] ?? `Not saved: ${count} ${count === 1 ? 'field' : 'fields'} to correct`);
  const [first] = Object.keys(faults);
  if (first) reveal(first);
}

/** Shows the part that contains a control, and focuses the control. */
function reveal(name: string): void {
  const control = controlOf(name);
  const part = control?.closest<HTMLElement>('.part')?.dataset.part;
  const tab = form.querySelector<HTMLInputElement>(`[name="part"][value="${part}"]`);
  if (tab) tab.checked = true;
  const details = control?.closest('details');
  if (details) details.open = true;
  control?.focus();
}

/** Uploads a file, or the image at an external address, and puts its address in our store into the control. */
async function takeImage(role: string, control: HTMLInputElement, source: File | string): Promise<void> {
  const sent = new FormData();
  sent.set('role', role);
  sent.set('type', (form.elements.namedItem('type') as HTMLSelectElement).value);
  if (typeof source === 'string') sent.set('url', source);
  else sent.set('file', source);
  say('Uploading the image …');
  const reply = await fetch(form.dataset.images!, { method: 'POST', body: sent }).catch(() => undefined);
  const isJson = reply?.headers.get('Content-Type')?.includes('json');
  const answer: ImageAnswer = isJson ? await reply!.json() : { message: 'could not be uploaded' };
  const address = form.elements.namedItem(`images.${role}`) as HTMLInputElement;
  if (!answer.url) {
    faults = { ...faults, [`images.${role}`]: answer.message ?? 'could not be uploaded' };
    touched.add(`images.${role}`);
    showFaults(faults, errors, touched);
    say('The image was not uploaded');
    return;
  }
  address.value = answer.url;
  if (control.type === 'file') control.value = '';
  unsaved();
  say('Unsaved changes');
  await ask({ do: 'part', part: 'look' });
}

/** Returns whether a text is the address of an image that is not in our store yet. */
const isElsewhere = (text: string): boolean => /^https?:\/\//.test(text) && !/\/images\/[0-9a-f]{64}$/.test(text);

function unsaved(): void {
  if (!isUnsaved) say('Unsaved changes');
  isUnsaved = true;
}

/** Sets the status beside the save button. */
function say(text: string): void {
  const place = document.querySelector('#save-said');
  if (place) place.textContent = text;
}
