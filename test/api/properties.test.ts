import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { Client, Reply } from '../support/api.ts';
import { Model, type ModelPass, type ModelTemplate, malformed, type Outcome, type Sent } from '../support/model.ts';
import { modelAccount } from '../support/model-account.ts';
import { type Step, steps, type Target } from '../support/model-steps.ts';
import { namedValues, v1Item, v1Read, v3Read } from '../support/model-views.ts';
import { randomRuns } from '../support/random-runs.ts';

/*
 * Random sequences of requests, each in its own account, compared with a model of the API: the status of each reply,
 * then how v1 and v3 show the pass; at the end, every pass and every list.
 */

const SEQUENCES = 25;
const LIMIT_MILLIS = 40_000;

test(
  'for any sequence of requests, replies, reads and lists match the model',
  async () => {
    const property = fc.asyncProperty(steps, async (sequence) => {
      const world = new World(await modelAccount());
      for (const step of sequence) await world.take(step);
      await world.compareAll();
    });
    await fc.assert(property, randomRuns(SEQUENCES, LIMIT_MILLIS));
  },
  LIMIT_MILLIS * 20,
);

/** An account and its model. */
class World {
  client: Client;
  templates: ModelTemplate[];
  model = new Model();
  origin = inject('worker').origin;

  constructor({ client, templates }: { client: Client; templates: ModelTemplate[] }) {
    this.client = client;
    this.templates = templates;
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'create') return this.#create(step);
    const name = this.#nameOf(step.target);
    const path = encodeURIComponent(name);
    const pass = this.model.find(name);
    const { client, model } = this;
    switch (step.kind) {
      case 'replace': {
        const reply = await client.post(`/api/v3/pass/${path}?async=${!step.wait}`, { data: step.fields });
        return this.#written(pass, reply, step.fields, pass && model.replace(pass, step.fields));
      }
      case 'patch': {
        const reply = await client.patch(`/api/v3/pass/${path}?async=${!step.wait}`, { data: step.fields });
        return this.#written(pass, reply, step.fields, pass && model.patch(pass, step.fields));
      }
      case 'update': {
        const body = step.nested
          ? { additionalProperties: step.fields, ...withoutProperties(step.fields) }
          : step.fields;
        const reply = await client.post(`/api/pass/${path}?integrationStyle=${!step.nested}`, body);
        return this.#written(pass, reply, step.fields, pass && model.patch(pass, step.fields));
      }
      case 'void': {
        const reply = await client.put(`/api/pass/${path}`, { voided: step.voided });
        return this.#done(pass, reply, 204, pass && { content: { ...pass.content, voided: step.voided } });
      }
      case 'move': {
        const target = this.#template(step.template);
        const reply = await client.post(`/api/v2/pass/${path}/movetotemplate/${target.id}`);
        return this.#done(pass, reply, 200, pass && model.move(pass, target));
      }
      case 'delete':
        return this.#delete(pass, await client.delete(`/api/${step.version === 'v1' ? '' : 'v3/'}pass/${path}`));
    }
  }

  async #create({ version, wait, template: nth, fields }: Extract<Step, { kind: 'create' }>): Promise<void> {
    const template = this.#template(nth);
    const outcome = this.model.create(template, fields);
    const reply =
      version === 'v1'
        ? await this.client.post(`/api/pass?passtemplate=${template.id}&integrationStyle=true`, fields)
        : await this.client.post(`/api/v3/pass?async=${!wait}`, { data: { templateId: template.id, ...fields } });
    if (this.#refused(reply, outcome)) return;
    expectStatus(reply, version === 'v1' ? 201 : 200);
    const made = version === 'v1' ? reply.body : reply.body.data;
    const read = (await this.client.get(`/api/pass/${made.identifier}`)).body;
    // The identifier contains the creation time and comes first, so the second may change in between.
    expect(read.modifiedOn >= read.createdOn).toBe(true);
    const { content } = outcome;
    if (!fields.barcodeValue) content.barcodeValue = read.generatedId;
    const pass: ModelPass = {
      content,
      identity: {
        identifier: made.identifier,
        generatedId: read.generatedId,
        file: version === 'v1' ? made.linkToPassFile : made.passFileUri,
        createdOn: read.createdOn,
        modifiedOn: read.modifiedOn,
      },
    };
    this.model.passes.push(pass);
    const told = version === 'v1' || wait || fields.barcodeValue ? content.barcodeValue : null;
    expect([made.barcodeValue, made.genericProperties]).toEqual([told, namedValues(pass)]);
    expect(made.linkToPassPage ?? made.downloadPage).toBe(this.model.pageOf(pass, read.linkToPassPage));
    await this.#compare(pass);
  }

  /** Checks a write of fields: the reply shows the new state of the pass. */
  async #written(pass: ModelPass | undefined, reply: Reply, sent: Sent, outcome: Outcome | undefined): Promise<void> {
    if (!pass && malformed(sent).length > 0) return this.#expectRefusal(reply, malformed(sent));
    await this.#done(pass, reply, 200, outcome);
    if (!pass || reply.status !== 200) return;
    const made = reply.body.data ?? reply.body;
    expect([made.identifier, made.barcodeValue]).toEqual([pass.identity.identifier, pass.content.barcodeValue]);
    expect(made.genericProperties).toEqual(namedValues(pass));
  }

  /** Checks a change; `outcome` is undefined if the pass doesn't exist. */
  async #done(pass: ModelPass | undefined, reply: Reply, status: number, outcome: Outcome | undefined): Promise<void> {
    if (!pass || !outcome) return expectStatus(reply, 404);
    if (this.#refused(reply, outcome)) return this.#compare(pass);
    expectStatus(reply, status);
    const { content } = outcome;
    const changes = sorted(content) !== sorted(pass.content);
    pass.content = content;
    await this.#compare(pass, changes);
  }

  #delete(pass: ModelPass | undefined, reply: Reply): void {
    expectStatus(reply, pass ? 200 : 404);
    if (pass) this.model.remove(pass);
  }

  #refused(reply: Reply, outcome: Outcome): outcome is { refused: string[] } {
    if (!('refused' in outcome)) return false;
    this.#expectRefusal(reply, outcome.refused);
    return true;
  }

  #expectRefusal({ status, body }: Reply, refused: string[]): void {
    const message: string = body.ErrorMessage ?? body.errors.join();
    expect({ status, names: refused.some((word) => message.includes(word)), message }).toMatchObject({
      status: 400,
      names: true,
    });
  }

  /**
   * Compares both reads of a pass. `modifiedOn` must increase if the pass has changed since the last read, and only
   * then.
   */
  async #compare(pass: ModelPass, hasChanged = false): Promise<void> {
    const { identity } = pass;
    const [v1, v3] = await Promise.all([
      this.client.get(`/api/pass/${identity.identifier}?includeFieldMapping=true`),
      this.client.get(`/api/v3/pass/${identity.identifier}`),
    ]);
    const { modifiedOn, linkToPassPage } = v1.body;
    if (hasChanged) expect(modifiedOn > identity.modifiedOn).toBe(true);
    if (hasChanged) identity.modifiedOn = modifiedOn;
    const page = this.model.pageOf(pass, linkToPassPage);
    expect(v1.body).toEqual(v1Read(this.origin, page, pass));
    expect(v3.body.data).toEqual(v3Read(page, pass));
  }

  async compareAll(): Promise<void> {
    await Promise.all([
      ...this.model.passes.map((pass) => this.#compare(pass)),
      ...this.model.gone.map(async (id) => expectStatus(await this.client.get(`/api/pass/${id}`), 404)),
      ...this.templates.map((template) => this.#compareList(template)),
    ]);
  }

  async #compareList(template: ModelTemplate): Promise<void> {
    const wanted = this.model.passes.filter(({ content }) => content.template === template);
    const items: { linkToPassPage: string }[] = [];
    for (let next = `/api/pass/list/${template.id}?pageSize=3`; next; ) {
      const { body } = await this.client.get(next as '/');
      expect(body.total).toBe(wanted.length);
      items.push(...body.results);
      next = body.query.next;
    }
    const pages = wanted.map((pass, i) => this.model.pageOf(pass, items[i]?.linkToPassPage ?? ''));
    expect(items).toEqual(wanted.map((pass, i) => v1Item(this.origin, pages[i]!, pass)));
  }

  #template(nth: number): ModelTemplate {
    return this.templates[nth % this.templates.length]!;
  }

  #nameOf({ nth, naming }: Target): string {
    const { passes, gone } = this.model;
    const pass = passes[nth % (passes.length || 1)];
    if (naming === 'gone') return gone[nth % (gone.length || 1)] ?? 'nobody';
    if (naming === 'never' || !pass) return 'nobody';
    if (naming === 'identifier' || naming === 'generatedId') return pass.identity[naming];
    return pass.content[naming] ?? pass.identity.identifier;
  }
}

/** On failure, shows the body, too. */
function expectStatus({ status, body }: Reply, wanted: number): void {
  expect({ status, body }).toEqual({ status: wanted, body });
}

function withoutProperties(fields: Sent): Sent {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => /^[a-z]/.test(name)));
}

/** Serializes to JSON with sorted members; undefined ones are omitted. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
