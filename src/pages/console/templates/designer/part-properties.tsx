import { PROPERTY_TYPES } from '../../../../domain/templates/additional-properties.ts';
import { Area, Check, Group, ItemButtons, ItemList, Part, Select, Text, useForm } from './controls.tsx';
import { textAt } from './form-tree.ts';

const LIST = 'additionalProperties';

const TITLES: Record<(typeof PROPERTY_TYPES)[number], string> = {
  text: 'Text',
  textarea: 'Long text',
  email: 'E-mail address',
  number: 'Number',
  date: 'Date',
  datetime: 'Date and time',
  checkbox: 'Yes or no',
  select: 'Select list',
  radiobutton: 'Radio buttons',
};

/** The data fields of the template. */
export function PropertiesPart() {
  return (
    <Part name="properties">
      <Group
        title="Data fields"
        text="Additional properties of each pass. To show one, write its name in braces in a field."
      >
        <ItemList list={LIST} add="Add data field">
          {(item, at, count) => <Property at={at} count={count} uid={textAt(item, 'id') || `property${at}`} />}
        </ItemList>
      </Group>
    </Part>
  );
}

function Property({ at, count, uid }: { at: number; count: number; uid: string }) {
  const form = useForm();
  const path = `${LIST}.${at}`;
  const title = textAt(form.tree, `${path}.name`) || `Property ${at + 1}`;
  const id = textAt(form.tree, `${path}.id`);
  const options = Object.fromEntries(PROPERTY_TYPES.map((type) => [type, TITLES[type]]));
  return (
    <li class="item" data-uid={uid}>
      <input type="hidden" name={`${path}.id`} value={id} />
      <div class="item-row">
        <Text name={`${path}.name`} label="Name" more={{ autocomplete: 'off' }} />
        <Select name={`${path}.type`} label="Type" options={options} />
        <ItemButtons list={LIST} at={at} count={count} title={title} />
      </div>
      <div class="item-grid">
        <Text name={`${path}.default`} label="Default" hint="For passes without a value." />
        <Text name={`${path}.sample`} label="Sample" hint="Only for the preview; not saved." />
      </div>
      <div class={`for-options${textAt(form.tree, `${path}.options`) ? ' kept' : ''}`}>
        <Area name={`${path}.options`} label="Choices" hint="One per line." />
      </div>
      <div class="checks">
        <Check name={`${path}.required`} label="Required" />
        <Check name={`${path}.unique`} label="Unique among the passes of this template" />
        <Check name={`${path}.personal`} label="Personal: values are visible only to members with personal_data" />
      </div>
      {id && (
        <p class="hint">
          API key: <code>{id}</code>
        </p>
      )}
    </li>
  );
}
