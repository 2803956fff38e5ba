import { EVERY_SCOPE, grants, meaningOf, SCOPES, type Scopes } from '../../../domain/api-keys/scopes.ts';
import type { TemplateFacts } from '../../../domain/templates/list-defined-templates.ts';
import { Checkboxes, namedOptions, TextArea, TextField } from '../fields.tsx';
import { useViewer } from '../viewer.ts';

const OPTIONS = [
  {
    value: EVERY_SCOPE,
    title: 'Full access',
    hint: 'All scopes, including future ones. Don’t combine it with other scopes.',
  } as const,
  ...SCOPES.map((value) => ({ value, title: value, hint: meaningOf(value) })),
];

export const BLANK_KEY = {
  name: '',
  /** `Y-m-d`; empty: the key never expires. */
  lastDay: '',
  scopes: [] as Scopes,
  templateIds: [] as string[],
  /** One per line. */
  allowedIps: '',
};

/** Values of the key form. */
export type TypedKey = typeof BLANK_KEY;

export interface KeyFormProps {
  /** Scopes that the member can grant. */
  own: Scopes;
  templates: NamedTemplate[];
  typed: TypedKey;
}

export type NamedTemplate = Pick<TemplateFacts, 'id' | 'name'>;

/** The fields of an API key, new or existing. */
export function KeyFields({ own, templates, typed }: KeyFormProps) {
  // A deleted template stays an option. Without any template, the key would have access to all of them.
  const gone = typed.templateIds.filter((id) => !templates.some((template) => template.id === id));
  const options = [...templates, ...gone.map((id) => ({ id, name: `Deleted template ${id}` }))];
  return (
    <>
      <TextField
        name="name"
        label="Name"
        hint="The program that uses the key, for example “Ticket shop”."
        value={typed.name}
        required
        more={{ maxlength: 100, autocomplete: 'off' }}
      />
      <TextField
        name="lastDay"
        label="Expiration date"
        type="date"
        hint={`The key expires at the end of this day (${useViewer().account.timezone}).`}
        value={typed.lastDay}
        required={false}
      />
      <Checkboxes
        name="scopes"
        legend="Scopes"
        options={OPTIONS.filter(({ value }) => grants(own, value))}
        values={typed.scopes}
      />
      {!own.includes(EVERY_SCOPE) && (
        <p class="hint">
          The list contains the scopes of your privileges, because a key can’t have more privileges than you. An owner
          can create keys with other scopes.
        </p>
      )}
      {options.length > 0 && (
        <Checkboxes
          name="templateIds"
          legend="Templates"
          hint="Select none to give access to all templates."
          options={namedOptions(options)}
          values={typed.templateIds}
        />
      )}
      <TextArea
        name="allowedIps"
        label="Allowed IP addresses"
        hint="One IPv4 or IPv6 address or CIDR range per line, for example 203.0.113.0/24. Leave empty to allow all addresses."
        value={typed.allowedIps}
        rows={3}
        required={false}
        more={{ autocomplete: 'off', spellcheck: 'false' }}
      />
    </>
  );
}
