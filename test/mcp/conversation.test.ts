import { describe, expect, test } from 'vitest';
import { freshAccount } from '../support/api.ts';
import { createConfiguration } from '../support/app-scans.ts';
import { type Assistant, assistantOf, ERAS } from '../support/mcp.ts';

/*
 * A simulated assistant, which knows only the names and descriptions of tools, does what people ask in conversations.
 */

/** A user's message, and how an assistant gets from it to a tool and the call's arguments. */
interface Turn {
  says: string;
  /** Words in the description that identify the tool. */
  wants: RegExp;
  args(heard: Heard): Record<string, unknown>;
}

/** Results by tool: an assistant fills in arguments from earlier results. */
// biome-ignore lint/suspicious/noExplicitAny: results of any tool
type Heard = Record<string, any>;

const TALK: Turn[] = [
  { says: 'What can I issue?', wants: /^Lists the templates/, args: () => ({}) },
  {
    says: 'What do I need for a membership?',
    wants: /which fields its passes take/,
    args: ({ list_templates }) => ({ id: list_templates.templates[0].identifier }),
  },
  {
    says: 'Make one for Ada Lovelace.',
    wants: /^Creates a pass/,
    args: ({ describe_template: { identifier, additionalProperties } }) => ({
      data: { templateId: identifier, [additionalProperties[0].name]: 'Ada Lovelace' },
    }),
  },
  { says: 'Where is Ada’s pass?', wants: /^Finds passes/, args: () => ({ searchPhrase: 'lovelace' }) },
  {
    says: 'She has left. Void it.',
    wants: /^Voids a pass/,
    args: ({ search_passes }) => ({ id: search_passes.passes[0].identifier }),
  },
];

async function talk(assistant: Assistant): Promise<Heard> {
  const { tools } = await assistant.sdk.listTools();
  const heard: Heard = {};
  for (const { says, wants, args } of TALK) {
    const found = tools.filter(({ description = '' }) => wants.test(description));
    expect(found, says).toHaveLength(1);
    const { name } = found[0]!;
    const { value, isError, text } = await assistant.call(name, args(heard));
    expect(isError, `${says} ${text}`).toBe(false);
    heard[name] = value;
  }
  return heard;
}

describe('from a conversation with an assistant to a voided pass', () => {
  test.each(ERAS)('%s: list, describe, create, find, void; the scanner then rejects the pass', async (era) => {
    const client = await freshAccount();
    await client.createTemplate();
    const { configurationId } = await createConfiguration(client);
    const assistant = await assistantOf(client, era);
    const heard = await talk(assistant);
    const { identifier } = heard.create_pass;
    expect(heard.search_passes).toMatchObject({ resultsTotal: 1, passes: [{ identifier, voided: false }] });
    const read = await client.get(`/api/v3/pass/${identifier}?formatKeyAdditionalProperties=name`);
    expect(read.body.data).toMatchObject({ voided: true, 'Full name': 'Ada Lovelace' });

    // An assistant doesn't know the scanner yet: the error of the call names it.
    const unknown = await assistant.call('record_scan', { passId: identifier });
    expect(unknown.isError).toBe(true);
    expect(unknown.text).toContain(`Entrance: ${configurationId}`);
    const scanned = await assistant.call('record_scan', { appConfigurationId: configurationId, passId: identifier });
    expect(scanned.value).toMatchObject({ outcome: 'rejected', validityReason: 'voided', passId: identifier });
  });
});
