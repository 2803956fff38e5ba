import { Check, Group, ItemButtons, ItemList, Part, Select, Text, useForm, Whole } from './controls.tsx';
import type { DesignerForm } from './designer-form.ts';
import { textAt } from './form-tree.ts';

const FUNCTIONALITIES = {
  loyalty: 'Loyalty points',
  stampCollect: 'Collect stamps',
  stampSpend: 'Use up stamps',
  oncePerDay: 'Once a day',
  prepaid: 'Prepaid value',
};

/** Additional effects of an accepted scan. */
const EXPLAINED: Record<keyof typeof FUNCTIONALITIES, string> = {
  loyalty: 'Adds the number entered at the scan to the stored value.',
  stampCollect: 'Each accepted scan adds 1 to the stored value.',
  stampSpend: 'Each accepted scan subtracts 1 from the stored value. Below 1, scans are rejected.',
  oncePerDay: 'Accepts one scan per calendar day. Scans never void the pass.',
  prepaid: 'Subtracts the number entered at the scan from the stored value, which can’t fall below 0.',
};

const TIERS = 'passFunctionality.tiers';
const SIBLINGS = 'siblings';

/** The rules for passes of the template. */
export function RulesPart() {
  return (
    <Part name="rules">
      <Group title="Limits">
        <Whole name="maxPasses" label="Maximum number of passes" hint="Leave empty for no limit." />
        <Check name="enforceUniqueUserProvidedId" label="Require unique external IDs of passes" />
        <Check
          name="groupingIdentifierEnabled"
          label="Allow grouping of passes"
          hint="Wallets group event tickets and boarding passes with the same grouping identifier."
        />
      </Group>
      <Group title="Functionality">
        <Select name="passFunctionality.type" label="Effect of a scan" options={FUNCTIONALITIES} none="None" />
        <dl class="explained hint">
          {Object.entries(EXPLAINED).map(([type, text]) => (
            <div>
              <dt>{FUNCTIONALITIES[type as keyof typeof FUNCTIONALITIES]}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </Group>
      <Tiers />
    </Part>
  );
}

function Tiers() {
  const form = useForm();
  return (
    <Group
      title="Tiers"
      text="When its stored value changes, a pass moves to the template of the highest tier that it reaches. The templates must be in the same project. Needs a functionality."
    >
      <datalist id={SIBLINGS}>
        {form.opened.siblings.map(({ id, name }) => (
          <option value={id}>{name}</option>
        ))}
      </datalist>
      <ItemList list={TIERS} add="Add tier">
        {(tier, at, count) => (
          <li class="item" data-uid={`tier${at}`}>
            <div class="item-row">
              <Text name={`${TIERS}.${at}.minimumValue`} label="Minimum value" more={{ inputmode: 'decimal' }} />
              <Text
                name={`${TIERS}.${at}.templateId`}
                label="Template"
                hint={nameOf(form, textAt(tier, 'templateId'))}
                more={{ list: SIBLINGS, autocomplete: 'off' }}
              />
              <ItemButtons list={TIERS} at={at} count={count} title={`Tier ${at + 1}`} />
            </div>
          </li>
        )}
      </ItemList>
    </Group>
  );
}

function nameOf({ opened: { siblings, template } }: DesignerForm, id: string): string | undefined {
  return id === template.id ? 'This template' : siblings.find((one) => one.id === id)?.name;
}
