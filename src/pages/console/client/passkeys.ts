/*
 * Creates passkeys and signs in with them. Without this script, or without passkey support, the pages offer sign-in
 * links.
 */
import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';

/** The server's answer: options, the next page, or an error. */
interface Reply<Options> {
  options?: Options;
  location?: string;
  message?: string;
}

const CANCELLED = 'Nothing was selected, or it took too long. Try again.';
const FAILED = 'The passkey didn’t work. Try again.';

async function ask<Options>(url: string, body: object = {}): Promise<Reply<Options>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json');
  // A page instead of JSON means that a sign-in is needed. After a reload, this page asks for it as well.
  if (!isJson) location.reload();
  return isJson ? ((await response.json()) as Reply<Options>) : { message: '' };
}

async function signIn(box: HTMLElement): Promise<string | undefined> {
  const address = box.dataset.url ?? '';
  const { options, message } = await ask<PublicKeyCredentialRequestOptionsJSON>('/console/sign-in/passkey/options');
  if (!options) return message ?? FAILED;
  const reply = await ask(address, await startAuthentication({ optionsJSON: options }));
  if (!reply.location) return reply.message ?? FAILED;
  const form = box.closest('form');
  if (form && box.dataset.action) {
    form.action = box.dataset.action;
    form.submit();
  } else location.assign(box.dataset.to ?? reply.location);
  return undefined;
}

async function create(form: HTMLFormElement): Promise<string | undefined> {
  const { options, message } = await ask<PublicKeyCredentialCreationOptionsJSON>('/console/you/passkeys/options');
  if (!options) return message ?? FAILED;
  const name = new FormData(form).get('name');
  const response = await startRegistration({ optionsJSON: options });
  const reply = await ask('/console/you/passkeys', { name, response });
  if (!reply.location) return reply.message ?? FAILED;
  location.assign(form.dataset.to ?? reply.location);
  return undefined;
}

/** Runs a button's action, one at a time, and shows errors. */
async function attempt(box: HTMLElement, work: () => Promise<string | undefined>): Promise<void> {
  const button = box.querySelector('button')!;
  const alert = box.querySelector('[role="alert"]')!;
  alert.textContent = '';
  button.disabled = true;
  try {
    alert.textContent = (await work()) ?? '';
  } catch (error) {
    alert.textContent = error instanceof Error && error.name === 'NotAllowedError' ? CANCELLED : FAILED;
  }
  button.disabled = false;
}

if (browserSupportsWebAuthn()) {
  for (const missing of document.querySelectorAll('[data-passkey-missing]')) missing.remove();
  for (const box of document.querySelectorAll<HTMLElement>('[data-passkey="sign-in"]')) {
    box.hidden = false;
    box.querySelector('button')?.addEventListener('click', () => attempt(box, () => signIn(box)));
  }
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey="create"]')) {
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void attempt(form, () => create(form));
    });
  }
}
