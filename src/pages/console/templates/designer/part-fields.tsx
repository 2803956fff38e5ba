import { OWN_PLACEHOLDERS } from '../../../../domain/passes/card/placeholders.ts';
import { FLIGHT_FIELD_NAMES } from '../../../../domain/passes/values/pass-fields.ts';
import { FIELD_LISTS, type FieldList } from '../../../../domain/templates/list-names.ts';
import { Area, Check, Group, ItemButtons, ItemList, Part, Select, Text, useForm } from './controls.tsx';
import { type FormTree, itemsAt, textAt } from './form-tree.ts';

const LIST_TITLES: Record<FieldList, { title: string; text: string }> = {
  headerFields: { title: 'Header', text: 'At the top right, visible in a stack of passes. Up to 3 are shown.' },
  primaryFields: { title: 'Primary', text: 'The largest: one field, or origin and destination on a boarding pass.' },
  secondaryFields: { title: 'Secondary', text: 'The row below, up to 4.' },
  auxiliaryFields: { title: 'Auxiliary', text: 'The next row, up to 4; 5 on a boarding pass.' },
  backFields: {
    title: 'Back',
    text: 'The details on the back, with any number of fields. URLs and phone numbers become links.',
  },
};

const TYPES = { text: 'Text', number: 'Number', currency: 'Currency amount', date: 'Date' };
const STYLES = {
  PKDateStyleNone: 'None',
  PKDateStyleShort: 'Short',
  PKDateStyleMedium: 'Medium',
  PKDateStyleLong: 'Long',
  PKDateStyleFull: 'Full',
};
const NUMBER_STYLES = {
  PKNumberStyleDecimal: 'Decimal',
  PKNumberStylePercent: 'Percent',
  PKNumberStyleScientific: 'Scientific',
  PKNumberStyleSpellOut: 'Spelled out',
};
const ALIGNMENTS = {
  PKTextAlignmentLeft: 'Left',
  PKTextAlignmentCenter: 'Center',
  PKTextAlignmentRight: 'Right',
  PKTextAlignmentNatural: 'Natural (by language)',
};

const PLACEHOLDERS = 'placeholders';

/** The fields of the card in their five lists, and its links. */
export function FieldsPart() {
  const form = useForm();
  const placeholders = placeholdersOf(form.tree);
  return (
    <Part name="fields">
      <datalist id={PLACEHOLDERS}>
        {placeholders.map((name) => (
          <option value={`{${name}}`} />
        ))}
      </datalist>
      <details class="help">
        <summary class="fold">Placeholders</summary>
        <p class="hint">
          Use placeholders in braces anywhere in a text. <code>{'{sign()}'}</code> becomes a signature of the barcode
          value.
        </p>
        <ul class="placeholders">
          {placeholders.map((name) => (
            <li>
              <code>{`{${name}}`}</code>
            </li>
          ))}
        </ul>
      </details>
      {FIELD_LISTS.map((list) => (
        <FieldListEditor list={list} />
      ))}
      <Links />
    </Part>
  );
}

function FieldListEditor({ list }: { list: FieldList }) {
  const { title, text } = LIST_TITLES[list];
  return (
    <Group title={title} text={text}>
      <ItemList list={`fields.${list}`} add={`Add ${title.toLowerCase()} field`}>
        {(item, at, count) => (
          <FieldEditor list={list} at={at} count={count} uid={textAt(item, 'key') || `${list}${at}`} />
        )}
      </ItemList>
    </Group>
  );
}

function FieldEditor({ list, at, count, uid }: { list: FieldList; at: number; count: number; uid: string }) {
  const form = useForm();
  const path = `fields.${list}.${at}`;
  const title = textAt(form.tree, `${path}.label`) || `Field ${at + 1}`;
  const value = textAt(form.tree, `${path}.value`);
  const isLong = list === 'backFields' || value.includes('\n');
  return (
    <li class="item" data-uid={uid}>
      <input type="hidden" name={`${path}.index`} value={textAt(form.tree, `${path}.index`)} />
      <div class={`item-row ${isLong ? '' : 'with-value'}`}>
        <Text name={`${path}.label`} label="Label" more={{ autocomplete: 'off' }} />
        {!isLong && <Text name={`${path}.value`} label="Value" more={{ list: PLACEHOLDERS, autocomplete: 'off' }} />}
        <Select name={`${path}.type`} label="Type" options={TYPES} />
        <ItemButtons list={`fields.${list}`} at={at} count={count} title={title} />
      </div>
      {isLong && <Area name={`${path}.value`} label="Value" rows={2} />}
      <FieldFormat path={path} />
      <details class="item-more">
        <summary class="fold">
          More<span class="visually-hidden"> about {title}</span>
        </summary>
        <div class="item-grid">
          <Text
            name={`${path}.changeMessage`}
            label="Change message"
            hint="%@ is replaced by the new value. Without a message, changes are silent."
          />
          {list !== 'primaryFields' && list !== 'backFields' && (
            <Select name={`${path}.alignment`} label="Alignment" options={ALIGNMENTS} none="Natural" />
          )}
          {(list === 'primaryFields' || list === 'backFields') && (
            <input type="hidden" name={`${path}.alignment`} value={textAt(form.tree, `${path}.alignment`)} />
          )}
          <Text name={`${path}.voidedLabel`} label="Label when voided" />
          <Text name={`${path}.voidedValue`} label="Value when voided" />
          <Text name={`${path}.key`} label="Key" hint="Unique in the pass. The API uses it as the name of the field." />
          {list === 'auxiliaryFields' ? (
            <Select
              name={`${path}.row`}
              label="Row"
              options={{ 0: 'First', 1: 'Second (event tickets)' }}
              none="First"
            />
          ) : (
            <input type="hidden" name={`${path}.row`} value={textAt(form.tree, `${path}.row`)} />
          )}
        </div>
        <Area
          name={`${path}.semantics`}
          label="Semantic tags"
          rows={2}
          hint="JSON with Apple’s names, for example {&quot;seats&quot;: [{&quot;seatNumber&quot;: &quot;{Seat}&quot;}]}."
          more={{ spellcheck: 'false', autocomplete: 'off' }}
        />
      </details>
    </li>
  );
}

/** Controls for certain field types. They are shown for these types, and whenever they have a value. */
function FieldFormat({ path }: { path: string }) {
  const form = useForm();
  const kept = (...names: string[]) => (names.some((name) => textAt(form.tree, `${path}.${name}`)) ? ' kept' : '');
  return (
    <div class="item-format">
      <div class={`item-grid for-date${kept('dateStyle', 'timeStyle', 'ignoresTimezone', 'isRelative')}`}>
        <Select name={`${path}.dateStyle`} label="Date" options={STYLES} none="Default" />
        <Select name={`${path}.timeStyle`} label="Time" options={STYLES} none="Default" />
        <Check name={`${path}.ignoresTimezone`} label="Ignore time zones" />
        <Check name={`${path}.isRelative`} label="Relative (“in 2 hours”)" />
      </div>
      <div class={`item-grid for-number${kept('numberStyle')}`}>
        <Select name={`${path}.numberStyle`} label="Number style" options={NUMBER_STYLES} none="Default" />
      </div>
      <div class={`item-grid for-currency${kept('currencyCode')}`}>
        <Text name={`${path}.currencyCode`} label="Currency" hint="ISO 4217, such as EUR" more={{ maxlength: 3 }} />
      </div>
    </div>
  );
}

function Links() {
  return (
    <Group title="Links" text="On the back: web addresses, and mailto: or tel: addresses.">
      <ItemList list="links" add="Add link">
        {(item, at, count) => (
          <li class="item" data-uid={`link${at}`}>
            <div class="item-row">
              <Text name={`links.${at}.label`} label="Label" />
              <ItemButtons list="links" at={at} count={count} title={textAt(item, 'label') || `Link ${at + 1}`} />
            </div>
            <Text name={`links.${at}.url`} label="Address" more={{ inputmode: 'url', placeholder: 'https://' }} />
          </li>
        )}
      </ItemList>
    </Group>
  );
}

/** Returns the placeholders for texts of this form: its data fields, then the built-in fields of a pass. */
function placeholdersOf(tree: FormTree): string[] {
  const properties = itemsAt(tree, 'additionalProperties').flatMap((item) => textAt(item, 'name') || []);
  const isFlight = textAt(tree, 'type') === 'boardingPass' && textAt(tree, 'transitType') === 'PKTransitTypeAir';
  const flight = new Set<string>(isFlight ? [] : [...FLIGHT_FIELD_NAMES, 'bcbp']);
  return [...new Set([...properties, ...OWN_PLACEHOLDERS.filter((name) => !flight.has(name))])];
}
