import type { DryRun } from '../../../domain/processes/start-process.ts';
import { AccountLayout } from '../console-layout.tsx';
import { SelectField, TextField } from '../fields.tsx';
import { FormActions, formatNumber, formatPassCount, LinkButton, Notice, Panel, Problems } from '../parts.tsx';
import { hrefTo } from '../viewer.ts';
import { FieldInput } from './edit-pages.tsx';
import { inputName } from './form-values.ts';
import type { FormField } from './pass-form.ts';
import { SECTION } from './pass-list-page.tsx';
import { fromQuery, writeForm } from './query-form.ts';

/** Actions for many passes. */
export const BULK_VERBS = ['void', 'unvoid', 'set', 'push'] as const;
export type BulkVerb = (typeof BULK_VERBS)[number];

/** A bulk action, as passed on by the forms. */
export interface BulkAsked {
  verb: BulkVerb;
  scope: 'selected' | 'all';
  /** Identifiers of the selected passes. */
  passes: string[];
  query: Record<string, unknown>;
  /** Key of the field to set; empty until one is chosen. */
  field: string;
  /** The submitted value; undefined until entered. */
  value?: string;
  /** Text of a push; undefined until entered. */
  text?: string;
}

const TITLES: Record<BulkVerb, string> = {
  void: 'Void passes',
  unvoid: 'Restore passes',
  set: 'Set field',
  push: 'Send push',
};

interface BulkPageProps {
  asked: BulkAsked;
  fields: FormField[];
  hasTemplate: boolean;
}

function addressesOf({ query }: BulkAsked) {
  const base = hrefTo(SECTION);
  return { base, back: `${base}?${writeForm(fromQuery(query, []))}` };
}

/** Passes the choices so far on to the next form. */
function Chosen({ asked }: { asked: BulkAsked }) {
  return (
    <>
      <input type="hidden" name="action" value={asked.verb} />
      <input type="hidden" name="scope" value={asked.scope} />
      <input type="hidden" name="query" value={JSON.stringify(asked.query)} />
      {asked.passes.map((id) => (
        <input type="hidden" name="pass" value={id} />
      ))}
    </>
  );
}

/** Asks for missing input: the field and its value, or the text. */
export function BulkInputPage({ asked, fields, hasTemplate }: BulkPageProps) {
  const { base, back } = addressesOf(asked);
  const chosen = fields.find(({ key }) => key === asked.field);
  const asksNothing = asked.verb === 'void' || asked.verb === 'unvoid';
  return (
    <AccountLayout title={TITLES[asked.verb]} section={SECTION}>
      <Problems />
      {!asksNothing && (
        <form class="panel stack" method="post" action={`${base}/bulk`}>
          <Chosen asked={asked} />
          {asked.verb === 'push' && (
            <TextField
              name="text"
              label="Text"
              required
              value={asked.text}
              hint="Supports placeholders. Only passes on a device get the push."
            />
          )}
          {asked.verb === 'set' && !chosen && (
            <SelectField
              name="field"
              label="Field"
              required
              hint={hasTemplate ? undefined : 'Select a template to set its data fields'}
              options={[
                { value: '', title: 'Select a field' },
                ...fields.map(({ key, label }) => ({ value: key, title: label })),
              ]}
            />
          )}
          {chosen && (
            <>
              <input type="hidden" name="field" value={chosen.key} />
              <FieldInput field={{ ...chosen, required: false }} value={asked.value} />
              <p class="hint">An empty value clears the field.</p>
            </>
          )}
          <FormActions button={asked.verb === 'set' && !chosen ? 'Continue' : 'Review'} back={back} />
        </form>
      )}
      {asksNothing && (
        <p>
          <a href={back}>View passes</a>
        </p>
      )}
    </AccountLayout>
  );
}

const EXAMPLES_SHOWN = 20;

/** Shows the effects of an action before it starts. */
export function BulkReviewPage({ asked, fields, result }: BulkPageProps & { result: DryRun }) {
  const { base, back } = addressesOf(asked);
  const { count, checked, errors } = result;
  const refused = Object.entries(errors ?? {});
  return (
    <AccountLayout title={TITLES[asked.verb]} section={SECTION}>
      <form class="panel stack" method="post" action={`${base}/bulk`}>
        <Chosen asked={asked} />
        <input type="hidden" name="confirmed" value="yes" />
        {asked.verb === 'push' && <input type="hidden" name="text" value={asked.text} />}
        {asked.verb === 'set' && (
          <>
            <input type="hidden" name="field" value={asked.field} />
            <input type="hidden" name={inputName(asked.field)} value={asked.value} />
          </>
        )}
        <p class="lead">
          <strong>{formatPassCount(count)}</strong> {effectOf(asked, fields)}
        </p>
        {refused.length > 0 && (
          <Notice tone="careful">
            {formatNumber(refused.length)} of {formatPassCount(checked)} would be rejected and stay unchanged.
          </Notice>
        )}
        {count > checked && (
          <p class="quiet">
            The first {formatNumber(checked)} were checked. Errors in the others appear when they are processed.
          </p>
        )}
        <div class="actions">
          <button class={asked.verb === 'void' ? 'button grave' : 'button'} type="submit" disabled={count === 0}>
            {BUTTONS[asked.verb]} {formatPassCount(count)}
          </button>
          <LinkButton href={back} title="Cancel" look="quiet" />
        </div>
      </form>
      {refused.length > 0 && (
        <Panel id="refused" title="Rejected">
          <ul class="bullets">
            {refused.slice(0, EXAMPLES_SHOWN).map(([name, message]) => (
              <li>
                <strong>{name}</strong>: {message}
              </li>
            ))}
          </ul>
          {refused.length > EXAMPLES_SHOWN && (
            <p class="quiet">and {formatNumber(refused.length - EXAMPLES_SHOWN)} more</p>
          )}
        </Panel>
      )}
    </AccountLayout>
  );
}

const BUTTONS: Record<BulkVerb, string> = { void: 'Void', unvoid: 'Restore', set: 'Change', push: 'Send push to' };

function effectOf({ verb, field, value, text }: BulkAsked, fields: FormField[]): string {
  if (verb === 'void')
    return 'will be voided. Wallets show voided passes as no longer valid. You can restore them later.';
  if (verb === 'unvoid') return 'will be restored.';
  if (verb === 'push') return `will get the push “${text}” where a device has the pass.`;
  const label = fields.find(({ key }) => key === field)?.label ?? field;
  return value?.trim() ? `will have “${value}” as ${label}.` : `will lose the value of ${label}.`;
}
