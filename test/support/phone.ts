import { randomBytes } from 'node:crypto';
import { type Difference, differenceBetween, type HeldPass, openBundle, openPass } from './phone-pass.ts';

const PASS_TYPE = 'application/vnd.apple.pkpass';
const BUNDLE_TYPE = 'application/vnd.apple.pkpasses';
const USER_AGENT =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1';
const PUSH_WAIT_MS = 10_000;
const REDIRECTS_MAX = 5;

/** Result of one update request for one pass. */
export interface PassUpdate extends Difference {
  serialNumber: string;
  /** `gone`: the server no longer has the pass; the phone keeps it. */
  status: 'updated' | 'unchanged' | 'gone';
  pass: HeldPass;
}

export interface PhoneOptions {
  /** PIN for download pages that require one. */
  pin?: string;
  /** BCP 47; default English. */
  language?: string;
}

/** The page or service failed to do what a phone needs. The message is for people. */
export class PhoneProblem extends Error {}

/**
 * A simulated iPhone: it downloads passes through Safari, registers with their web service, asks for changes after each
 * push, and shows the change messages. A stand-in for Apple's push service calls `receivePush`.
 */
export class SimulatedPhone {
  /** Apple's `deviceLibraryIdentifier`. */
  readonly deviceId = randomBytes(16).toString('hex');
  readonly pushToken = randomBytes(32).toString('hex');
  readonly language: string;
  /** The passes in Wallet, by serial number. */
  readonly passes = new Map<string, HeldPass>();
  #pin?: string;
  #cookies = new Map<string, string>();
  /** The tag of the last answer, by web service and pass type. */
  #tags = new Map<string, string>();
  #pushes: string[] = [];
  #waiting: ((topic: string) => void)[] = [];

  constructor({ pin, language = 'en' }: PhoneOptions = {}) {
    this.#pin = pin;
    this.language = language;
  }

  /**
   * Opens a link like a tap on it: a pass, a bundle, or the page that leads to one. Adds everything to Wallet. Throws
   * `PhoneProblem`.
   */
  async download(link: string): Promise<HeldPass[]> {
    const reply = await this.#browse(link);
    const found =
      (await this.#opened(reply)) ?? (await this.#opened(await this.#browse(await this.#fileLinkOf(reply))));
    if (!found) throw new PhoneProblem(`${link} leads to no pass`);
    for (const pass of found) this.passes.set(pass.content.serialNumber, pass);
    return found;
  }

  /**
   * Registers every pass for updates. Returns the status of each answer, by serial number. Skips passes without a web
   * service.
   */
  async register(): Promise<Map<string, number>> {
    const statuses = new Map<string, number>();
    for (const pass of this.#updatable()) {
      const reply = await fetch(this.#registrationOf(pass), {
        method: 'POST',
        headers: { ...authorizationOf(pass), 'content-type': 'application/json' },
        body: JSON.stringify({ pushToken: this.pushToken }),
      });
      await reply.arrayBuffer();
      statuses.set(pass.content.serialNumber, reply.status);
    }
    return statuses;
  }

  /** Removes the registration of a pass, or of all. Returns the status of each answer, by serial number. */
  async unregister(serialNumber?: string): Promise<Map<string, number>> {
    const statuses = new Map<string, number>();
    for (const pass of this.#updatable()) {
      if (serialNumber && pass.content.serialNumber !== serialNumber) continue;
      const reply = await fetch(this.#registrationOf(pass), { method: 'DELETE', headers: authorizationOf(pass) });
      await reply.arrayBuffer();
      statuses.set(pass.content.serialNumber, reply.status);
    }
    return statuses;
  }

  /** Called when a push arrives. */
  receivePush(topic: string): void {
    const next = this.#waiting.shift();
    if (next) next(topic);
    else this.#pushes.push(topic);
  }

  /** Returns the topic of the next unhandled push; throws if none arrives in time. */
  async waitForPush(waitMs = PUSH_WAIT_MS): Promise<string> {
    const arrived = this.#pushes.shift();
    if (arrived !== undefined) return arrived;
    return new Promise((resolve, reject) => {
      const take = (topic: string) => {
        clearTimeout(timer);
        resolve(topic);
      };
      const timer =
        waitMs === Number.POSITIVE_INFINITY
          ? undefined
          : setTimeout(() => {
              this.#waiting.splice(this.#waiting.indexOf(take), 1);
              reject(new PhoneProblem(`no push arrived within ${waitMs / 1_000} s`));
            }, waitMs);
      this.#waiting.push(take);
    });
  }

  /** Number of pushes received, but not yet waited for. */
  get pushesLeft(): number {
    return this.#pushes.length;
  }

  /**
   * Asks each web service for changes since the last request, and fetches them, as a phone does after a push, a restart
   * or pull-to-refresh.
   */
  async update(): Promise<PassUpdate[]> {
    const updates: PassUpdate[] = [];
    for (const [library, passes] of Map.groupBy(this.#updatable(), libraryOf)) {
      const changed = await this.#changedIn(library);
      for (const pass of passes) {
        if (changed.includes(pass.content.serialNumber)) updates.push(await this.#refetch(pass));
      }
    }
    return updates;
  }

  #updatable(): HeldPass[] {
    return [...this.passes.values()].filter(({ content }) => content.webServiceURL && content.authenticationToken);
  }

  #registrationOf(pass: HeldPass): string {
    return `${this.#libraryUrl(libraryOf(pass))}/${encodeURIComponent(pass.content.serialNumber)}`;
  }

  #libraryUrl(library: string): string {
    const [service, passType] = library.split(' ') as [string, string];
    return `${service}/v1/devices/${this.deviceId}/registrations/${encodeURIComponent(passType)}`;
  }

  async #changedIn(library: string): Promise<string[]> {
    const tag = this.#tags.get(library);
    const query = tag === undefined ? '' : `?passesUpdatedSince=${encodeURIComponent(tag)}`;
    const reply = await fetch(this.#libraryUrl(library) + query);
    const text = await reply.text();
    if (reply.status === 204) return [];
    if (reply.status !== 200) throw new PhoneProblem(`the list of changed passes was answered with ${reply.status}`);
    const { serialNumbers, lastUpdated } = JSON.parse(text) as { serialNumbers: string[]; lastUpdated: unknown };
    // Wallet rejects a tag that isn't a string.
    if (typeof lastUpdated !== 'string') throw new PhoneProblem('lastUpdated is not a text');
    this.#tags.set(library, lastUpdated);
    return serialNumbers;
  }

  async #refetch(before: HeldPass): Promise<PassUpdate> {
    const { passTypeIdentifier, serialNumber, webServiceURL } = before.content;
    const path = [passTypeIdentifier, serialNumber].map(encodeURIComponent).join('/');
    const reply = await fetch(`${serviceOf(webServiceURL!)}/v1/passes/${path}`, {
      headers: {
        ...authorizationOf(before),
        ...(before.lastModified && { 'if-modified-since': before.lastModified }),
      },
    });
    const bytes = Buffer.from(await reply.arrayBuffer());
    const nothing = { serialNumber, pass: before, changes: [], messages: [] };
    if (reply.status === 304) return { ...nothing, status: 'unchanged' };
    if (reply.status === 404 || reply.status === 401) return { ...nothing, status: 'gone' };
    if (reply.status !== 200) throw new PhoneProblem(`the pass was answered with ${reply.status}`);
    const pass = openPass(bytes, reply.headers.get('last-modified') ?? undefined);
    this.passes.set(serialNumber, pass);
    return { serialNumber, status: 'updated', pass, ...differenceBetween(before, pass, this.language) };
  }

  /** Opens the passes in a reply that is a file. */
  async #opened(reply: Response): Promise<HeldPass[] | undefined> {
    const type = reply.headers.get('content-type')?.split(';')[0];
    if (type !== PASS_TYPE && type !== BUNDLE_TYPE) return undefined;
    const bytes = Buffer.from(await reply.arrayBuffer());
    return type === BUNDLE_TYPE
      ? openBundle(bytes)
      : [openPass(bytes, reply.headers.get('last-modified') ?? undefined)];
  }

  /** Returns the target of the page's button; enters the PIN first if the page asks for it. */
  async #fileLinkOf(reply: Response): Promise<string> {
    let page = await reply.text();
    let { url } = reply;
    if (isPinForm(page)) {
      if (this.#pin === undefined) throw new PhoneProblem('The page asks for a PIN: give it with --pin.');
      const answered = await this.#browse(url, new URLSearchParams({ pin: this.#pin }));
      page = await answered.text();
      ({ url } = answered);
      if (isPinForm(page)) throw new PhoneProblem('The page does not take this PIN.');
    }
    const href = linksIn(page).find((link) => /\.pkpass(es)?$/.test(link.split('?')[0]!));
    if (!href) throw new PhoneProblem(`The page offers no pass for Apple Wallet: "${headingOf(page)}"`);
    return new URL(href, url).href;
  }

  /** Sends a request like Safari on an iPhone. */
  async #browse(link: string, form?: URLSearchParams): Promise<Response> {
    let url = link;
    let body = form;
    for (let redirects = 0; redirects < REDIRECTS_MAX; redirects++) {
      const reply = await fetch(url, {
        method: body ? 'POST' : 'GET',
        body,
        redirect: 'manual',
        headers: {
          'user-agent': USER_AGENT,
          'accept-language': this.language,
          ...(this.#cookies.size > 0 && { cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; ') }),
        },
      });
      for (const cookie of reply.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
        this.#cookies.set(name!, value!);
      }
      const location = reply.headers.get('location');
      if (reply.status < 300 || reply.status >= 400 || !location) return accepted(reply);
      await reply.arrayBuffer();
      url = new URL(location, url).href;
      body = undefined;
    }
    throw new PhoneProblem(`${link} leads from one address to the next`);
  }
}

/** Pages that explain why there is no pass have other statuses. */
async function accepted(reply: Response): Promise<Response> {
  const isPage = reply.headers.get('content-type')?.startsWith('text/html');
  if (reply.ok || (isPage && reply.status !== 404)) return reply;
  const said = isPage ? `: "${headingOf(await reply.text())}"` : '';
  throw new PhoneProblem(`${reply.url} was answered with ${reply.status}${said}`);
}

function serviceOf(webServiceUrl: string): string {
  return webServiceUrl.replace(/\/$/, '');
}

function libraryOf({ content }: HeldPass): string {
  return `${serviceOf(content.webServiceURL!)} ${content.passTypeIdentifier}`;
}

function authorizationOf({ content }: HeldPass): { authorization: string } {
  return { authorization: `ApplePass ${content.authenticationToken}` };
}

function isPinForm(page: string): boolean {
  return /<input[^>]*\bname="pin"/.test(page);
}

function linksIn(page: string): string[] {
  return [...page.matchAll(/<a\b[^>]*\bhref="([^"]+)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'));
}

function headingOf(page: string): string {
  const [, heading = ''] = /<h1[^>]*>(.*?)<\/h1>/s.exec(page) ?? [];
  return heading.replaceAll(/<[^>]+>/g, '').trim();
}
