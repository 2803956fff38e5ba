import type { PersonMatch } from '../../../domain/search/persons.ts';
import type { ListedProperty } from '../../../domain/templates/list-properties.ts';
import { AccountLayout, ConfirmationPage } from '../console-layout.tsx';
import { optionsOf, SelectField, TextField } from '../fields.tsx';
import { Fact, formatNumber, formatPassCount, HiddenFields, Notice, Panel, Problems, SubmitButton } from '../parts.tsx';
import { hrefTo, viewerHas } from '../viewer.ts';

export const SECTION = 'persons';

/** Search keys of a person, besides additional properties. */
export const KEYS: Record<Exclude<keyof PersonMatch, 'property'>, string> = {
  userProvidedId: 'External ID of the pass (userProvidedId)',
  emailRecipient: 'E-mail address',
  phoneRecipient: 'Phone number',
};

/** Prefix of a property's identifier in `by`. */
export const BY_PROPERTY = 'property:';

/** Submitted form values. */
export interface TypedPerson {
  /** A key of `KEYS`, or a property. */
  by: string;
  value: string;
}

/** Titles of the counted data. */
export const COUNTS: Record<string, string> = {
  passes: 'Passes',
  scans: 'Scans',
  messages: 'Messages',
  events: 'Events with personal values',
  replies: 'Stored API replies',
  images: 'Images',
  segments: 'Segments',
  imports: 'Import files',
  processItems: 'Failed process items',
  exports: 'Personal data exports',
};

interface PersonsPageProps {
  typed: TypedPerson;
  properties: ListedProperty[];
  /** Counts of the found data; undefined before a search. */
  counts?: Record<string, number>;
}

/** Finds a person, and exports or erases the person's data. */
export function PersonsPage({ typed, properties, counts }: PersonsPageProps) {
  return (
    <AccountLayout title="Personal data" section={SECTION}>
      <p class="lead">
        Answer a person’s request about their data: find it, export a copy, or erase it. The search covers the passes of
        this account.
      </p>
      <Problems title="Not done:" />
      <form class="panel stack" method="post" action={hrefTo(SECTION, 'find')}>
        <SelectField name="by" label="Find by" options={choicesOf(properties)} value={typed.by} />
        <TextField
          name="value"
          label="Value"
          hint="Enter the value exactly as it is stored. Case matters, except in e-mail addresses."
          value={typed.value}
          required
          more={{ autocomplete: 'off', spellcheck: 'false' }}
        />
        <SubmitButton title="Find data" />
      </form>
      {counts && <Found typed={typed} counts={counts} />}
      <Proof />
    </AccountLayout>
  );
}

/** Returns the search keys, and the account's properties with their templates. */
function choicesOf(properties: ListedProperty[]) {
  return [
    ...optionsOf(KEYS),
    ...properties.map(({ id, name, templates, more }) => ({
      value: `${BY_PROPERTY}${id}`,
      title: `${name} (${templates.join(', ')}${more > 0 ? `, and ${formatNumber(more)} more` : ''})`,
    })),
  ];
}

/** Points to the records of answered requests. */
function Proof() {
  const log = hrefTo('audit-log');
  return (
    <p class="quiet">
      Every export and erasure is a <a href={hrefTo('processes')}>process</a> and leaves an entry in the audit log,
      without the data itself.
      {viewerHas('owner') && (
        <>
          {' '}
          View entries of <a href={`${log}?action=person.erase`}>erasures</a> and{' '}
          <a href={`${log}?action=person.export`}>exports</a>.
        </>
      )}
    </p>
  );
}

interface EraseConfirmPageProps {
  typed: TypedPerson;
  /** Title of the search key. */
  by: string;
  mode: 'delete' | 'anonymize';
  counts: Record<string, number>;
}

/** Confirmation page before a person's data is erased. It lists what is erased, and what stays. */
export function EraseConfirmPage({ typed, by, mode, counts }: EraseConfirmPageProps) {
  const passes = counts.passes ?? 0;
  const isOne = passes === 1;
  const named = formatPassCount(passes);
  const fate =
    mode === 'delete'
      ? `${isOne ? 'is' : 'are'} deleted. ${isOne ? 'Its page and file stop' : 'Their pages and files stop'} working, and the devices that have ${isOne ? 'it' : 'them'} are notified`
      : `${isOne ? 'stays' : 'stay'} without recipients, additional properties, images and other data of the person, and the devices that have ${isOne ? 'it' : 'them'} get the update`;
  return (
    <ConfirmationPage
      title="Erase the data of this person?"
      section={SECTION}
      action={hrefTo(SECTION, 'erase')}
      button={passes === 0 ? 'Erase data' : `Erase data of ${named}`}
      back={hrefTo(SECTION)}
      fields={{ ...typed, mode }}
    >
      <div class="stack">
        <p>
          {by} <strong>{typed.value}</strong>
        </p>
        <p>
          {passes === 0
            ? 'No pass has this value. Texts in segments, import files and failed process items are erased'
            : `${named} ${fate}`}
          . You can’t undo this.
        </p>
        <CountFacts counts={counts} />
        <div>
          <p>Erased with {isOne ? 'it' : 'them'}:</p>
          <ul class="bullets">
            <li>
              messages, values in scans, and values in events, including events that webhooks haven’t received yet
            </li>
            <li>failed process items, import files, and texts in segments that name the person</li>
            <li>all personal data exports of this account (you can create them again)</li>
          </ul>
        </div>
        <div>
          <p>Kept:</p>
          <ul class="bullets">
            <li>records of scans: time, place and outcome</li>
            <li>records of events with identifiers and times, and entries in the audit log</li>
            <li>backups of the database, for up to 30 days</li>
            <li>data that has left the service: sent messages, delivered webhooks and downloaded files</li>
          </ul>
        </div>
      </div>
    </ConfirmationPage>
  );
}

/** Counts as facts. */
export function CountFacts({ counts }: { counts: Record<string, number> }) {
  const shown = Object.entries(COUNTS).filter(([name]) => counts[name] !== undefined);
  return (
    <dl class="facts">
      {shown.map(([name, title]) => (
        <Fact title={title} value={formatNumber(counts[name]!)} />
      ))}
    </dl>
  );
}

function Found({ typed, counts }: Required<Omit<PersonsPageProps, 'properties'>>) {
  return (
    <>
      <Panel id="found" title="Results">
        {counts.passes === 0 && <Notice tone="calm">No pass has this value.</Notice>}
        <CountFacts counts={counts} />
        <form class="stack" method="post" action={hrefTo(SECTION, 'export')}>
          <HiddenFields fields={{ ...typed }} />
          <p class="quiet">Creates a ZIP archive. Anyone with its link can download it for 24 hours.</p>
          <SubmitButton title="Export data" />
        </form>
      </Panel>
      {viewerHas('passes.edit') && (
        <Panel id="danger" title="Danger zone">
          <form class="stack" method="post" action={hrefTo(SECTION, 'erase', 'confirm')}>
            <HiddenFields fields={{ ...typed }} />
            <SelectField
              name="mode"
              label="Passes"
              hint="Before anything is erased, the next page lists what is erased and what is kept."
              options={[
                { value: 'delete', title: 'Delete the passes' },
                { value: 'anonymize', title: 'Keep the passes, but erase personal data in them' },
              ]}
              value="delete"
            />
            <SubmitButton title="Erase data" look="grave" />
          </form>
        </Panel>
      )}
    </>
  );
}
