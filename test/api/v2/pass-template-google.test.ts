import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { costOf, d1 } from '../../support/control.ts';
import { everyGoogleMember } from '../../support/google-members.ts';
import { sampleTemplate } from '../../support/samples.ts';

let client: Client;
beforeAll(async () => {
  client = await freshAccount();
});

const LOGO = readFileSync('scripts/demo/images/lindhof-logo.png');
const SHA256 = createHash('sha256').update(LOGO).digest('hex');
const IMAGE = expect.stringMatching(new RegExp(`/images/${SHA256}$`));

const google = () =>
  JSON.parse(
    JSON.stringify(everyGoogleMember()).replaceAll(/https:\/\/images\.example\/[^"]+/g, LOGO.toString('base64')),
  );
const described = async (id: string) => (await client.get(`/api/v2/pass-template/${id}/describe`)).body.data;
const patch = (id: string, body: object) => client.patch(`/api/v2/pass-template/${id}`, { google: body });
const usesOf = (id: string) =>
  d1<{ user: string }>('select user from image_uses where sha256 = ? and user like ?', [SHA256, `template:${id}:%`]);

describe('`google` of a template', () => {
  test('is described as it was sent, with images of this service, and accepted again without a write', async () => {
    const id = await client.createTemplate({ google: google() });
    const before = await described(id);
    const shown = JSON.parse(JSON.stringify(google()).replaceAll(LOGO.toString('base64'), 'image'));
    const received = JSON.parse(JSON.stringify(before.google).replaceAll(before.google.wideLogo, 'image'));
    expect(received).toEqual(shown);
    expect(before.google.wideLogo).toEqual(IMAGE);
    const image = await fetch(before.google.wideLogo);
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
    const reply = await client.post(`/api/v2/pass-template/${id}`, before);
    expect([reply.status, (await costOf(reply)).rowsWritten]).toEqual([200, 0]);
  });

  test('is changed member by member, and null clears one of them or all', async () => {
    const id = await client.createTemplate({ google: google() });
    await patch(id, { venue: { name: 'Small Hall' }, seatInfo: null, wideLogo: null });
    const { google: after } = await described(id);
    expect(after.venue).toEqual({ ...everyGoogleMember().venue, name: 'Small Hall' });
    expect(after).not.toHaveProperty('seatInfo');
    expect(after).not.toHaveProperty('wideLogo');
    expect(after.imageModulesData).toEqual([{ id: 'poster', mainImage: IMAGE }]);
    expect((await client.patch(`/api/v2/pass-template/${id}`, { google: null })).status).toBe(200);
    expect(await described(id)).not.toHaveProperty('google');
  });

  test('stores nothing when nothing is sent', async () => {
    for (const nothing of [{}, { google: null }, { google: {} }, { google: { venue: null } }]) {
      const id = await client.createTemplate(nothing);
      const [row] = await d1<{ definition: string }>('select definition from template_versions where template_id = ?', [
        id,
      ]);
      expect(row!.definition).not.toContain('google":{');
      expect(await described(id)).not.toHaveProperty('google');
    }
  });

  test('keeps its images as long as it exists, even in a copy', async () => {
    const id = await client.createTemplate({ google: { wideLogo: LOGO.toString('base64') } });
    expect(await usesOf(id)).toHaveLength(1);
    const copy = await client.post(`/api/pass-template/copy/${id}`, { name: 'Copy' });
    const copied = (await client.get('/api/pass-template')).body.find(
      (one: { name: string }) => one.name === 'Copy',
    ).identifier;
    expect(copy.status).toBe(201);
    expect((await described(copied)).google).toEqual({ wideLogo: IMAGE });
    expect(await usesOf(copied)).toHaveLength(1);
    await d1('delete from template_versions where template_id = ?', [copied]);
    expect(await usesOf(copied)).toEqual([]);
  });

  test.each([
    ['google.wideLogo', { wideLogo: 'bm90IGFuIGltYWdl' }],
    ['google.valueAddedModuleData.0.image', { valueAddedModuleData: [{ header: 'x', image: 'bm90IGFuIGltYWdl' }] }],
    ['google.venue.address', { venue: { name: 'Hall' } }],
  ])('names the error: %s', async (path, members) => {
    const reply = await client.post('/api/v2/pass-template', { ...sampleTemplate(), google: members });
    expect([reply.status, reply.body.errors[0]]).toEqual([400, expect.stringContaining(`${path}: `)]);
  });
});
