import type { PersonMatch } from '../../../domain/search/persons.ts';
import { AccountLayout } from '../console-layout.tsx';
import { FaultyFields, SelectField, TextField } from '../fields.tsx';
import { Fact, Panel, Problems, SubmitButton } from '../parts.tsx';
import { hrefTo, viewerHas } from '../viewer.ts';

export const SECTION = 'persons';

/** What a person is found by. */
export const KEYS: Record<keyof PersonMatch, string> = {
  userProvidedId: 'Your ID of the pass (userProvidedId)',
  emailRecipient: 'E-mail address',
  phoneRecipient: 'Phone number',
  property: 'Additional property',
};

/** The form as it was filled in. */
export interface TypedPerson {
  by: string;
  value: string;
  propertyId: string;
}

/** What there is, in words of the page. */
export const COUNTS: Record<string, string> = {
  passes: 'Passes',
  scans: 'Scans',
  messages: 'Messages',
  events: 'Events with values',
  replies: 'Kept replies',
  images: 'Images',
  segments: 'Segments',
  imports: 'Files to import',
  processItems: 'Failed items of processes',
  exports: 'Exports of persons',
};

interface PersonsPageProps {
  typed: TypedPerson;
  /** What was found; absent: nobody was looked for. */
  counts?: Record<string, number>;
}

/** Finds a person, and exports or erases what there is. */
export function PersonsPage({ typed, counts }: PersonsPageProps) {
  return (
    <AccountLayout title="Persons" section={SECTION}>
      <p class="lead">Answer requests of people about their data. Only passes of this account are found.</p>
      <Problems />
      <FaultyFields>
        <form class="panel stack" method="post" action={hrefTo(SECTION, 'find')}>
          <SelectField
            name="by"
            label="Find by"
            options={Object.entries(KEYS).map(([value, title]) => ({ value, title }))}
            value={typed.by}
          />
          <TextField
            name="value"
            label="Value"
            hint="Exactly as it is stored. Upper and lower case count, except in e-mail addresses."
            value={typed.value}
            required
            more={{ autocomplete: 'off', spellcheck: 'false' }}
          />
          <TextField
            name="propertyId"
            label="Identifier of the property"
            hint="Only for additional properties. The API shows it in the template."
            value={typed.propertyId}
            required={false}
            more={{ autocomplete: 'off', spellcheck: 'false' }}
          />
          <SubmitButton title="Count data" />
        </form>
      </FaultyFields>
      {counts && <Found typed={typed} counts={counts} />}
    </AccountLayout>
  );
}

/** Counts, as facts. */
export function CountFacts({ counts }: { counts: Record<string, number> }) {
  const shown = Object.entries(COUNTS).filter(([name]) => counts[name] !== undefined);
  return (
    <dl class="facts">
      {shown.map(([name, title]) => (
        <Fact title={title} value={counts[name]!.toLocaleString('en')} />
      ))}
    </dl>
  );
}

function Found({ typed, counts }: Required<PersonsPageProps>) {
  const held = (
    <>
      {Object.entries(typed).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
  return (
    <>
      <Panel id="found" title="Found">
        <CountFacts counts={counts} />
        <form class="stack" method="post" action={hrefTo(SECTION, 'export')}>
          {held}
          <p class="quiet">A ZIP archive. Its link works for 24 hours, for everybody who has it.</p>
          <SubmitButton title="Export data" />
        </form>
      </Panel>
      {viewerHas('passes.edit') && (
        <Panel id="danger" title="Danger zone">
          <form class="stack" method="post" action={hrefTo(SECTION, 'erase')}>
            {held}
            <SelectField
              name="mode"
              label="Passes"
              hint="Erasing cannot be undone."
              options={[
                { value: 'delete', title: 'Delete the passes' },
                { value: 'anonymize', title: 'Keep the passes without the data of the person' },
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
