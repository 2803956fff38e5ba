import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { eventually } from '../../support/control.ts';
import { allPushed, heldPass, pushed } from '../../support/pushes.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';

let account: Client;
let member: Visitor;
let templateId: string;
beforeAll(async () => {
  account = await freshAccount();
  templateId = await account.createTemplate();
  member = await visitor(account, ['read']);
});

const shown = async (id: string) => (await member.get(consolePath(account, 'passes', id))).body as string;

describe('the page of a pass', () => {
  test('explains why a phone has not updated, and shows what has happened', async () => {
    const { pass, device } = await heldPass(account, templateId);
    const id = pass.identifier;
    expect(await shown(id)).toMatch(/<p class="notice good">The device has had the current version since/);
    const { lastUpdated } = (await device.list()).body;
    await account.patch(`/api/v3/pass/${id}?async=false`, { data: { storedValue: 3 } });
    await pushed(device);
    await allPushed(account);
    const told = await shown(id);
    expect(told).toMatch(
      /Apple accepted the push just now\. The device hasn’t checked for changes yet\. It may be offline\./,
    );
    expect(told).toMatch(/Push accepted by Apple for 1 device.*Changed by API key Default: Stored value.*version 2/s);
    await device.list(lastUpdated);
    await eventually(async () =>
      /A device checked for changes just now, but hasn’t downloaded version 2 yet/.test(await shown(id)),
    );
    await device.fetch(pass);
    await eventually(async () => /The device has had the current version since/.test(await shown(id)));
    expect(await shown(id)).toMatch(/Device downloaded version 2.*Device checked for changes.*device [0-9a-f]{8}/s);
    await account.patch(`/api/v3/pass/${id}?async=false`, { data: { storedValue: 4 } });
    await allPushed(account);
    expect(await shown(id)).toMatch(/It is one version behind\..*Device downloaded version 2, one behind/s);
  });

  test('shows that no device has the pass, or none anymore', async () => {
    const { identifier } = await account.createPass(templateId);
    expect(await shown(identifier)).toContain('No device has added this pass.');
    const { pass, device } = await heldPass(account, templateId);
    await device.unregister(pass);
    const left = await shown(pass.identifier);
    expect(left).toMatch(/Every device has removed this pass\..*Removed from Apple Wallet.*Added to Apple Wallet/s);
  });
});
