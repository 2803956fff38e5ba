import { AddButton, Area, Check, Group, ItemButtons, Moment, Part, Text, Whole } from './controls.tsx';
import type { DesignerForm } from './designer-form.ts';
import { itemsAt, textAt } from './form-tree.ts';

/** How long passes are good, and when and where they show themselves. */
export function ValidityPart({ form, timezone }: { form: DesignerForm; timezone: string }) {
  return (
    <Part name="validity">
      <Group title="Expiry">
        <Moment form={form} name="expiration.expirationDate" label="Expires on" hint={`In ${timezone}.`} />
        <Whole
          form={form}
          name="expiration.validityInDays"
          label="Days of validity"
          hint="From the creation of each pass."
        />
        <Check form={form} name="expiration.expirationDateDifferentForEachPass" label="Each pass sets its date" />
        <Check
          form={form}
          name="expiration.fallbackToTemplateExpirationDateIfEmpty"
          label="Passes without a date use the template’s"
        />
        <Check
          form={form}
          name="expiration.limitExpirationDateOfPassWithTemplate"
          label="No pass is valid longer than the template"
        />
      </Group>
      <Group title="Relevant moment" text="A phone suggests the pass around that time.">
        <Moment form={form} name="relevantDate" label="Date and time" hint={`In ${timezone}.`} />
        <Check form={form} name="relevantDateDifferentForEachPass" label="Each pass sets its own" />
      </Group>
      <Locations form={form} />
      <Group
        title="Validation places"
        text="Places where scanners validate passes. Each pass lists its valid places, each app configuration its own place."
      >
        <Area form={form} name="validValidationPlaces" label="Places" hint="One per line." />
      </Group>
    </Part>
  );
}

function Locations({ form }: { form: DesignerForm }) {
  const items = itemsAt(form.tree, 'locations');
  return (
    <Group title="Locations" text="A phone suggests the pass near one of them. Wallets use the first ten.">
      {items.length > 0 && (
        <ol class="items">
          {items.map((item, at) => (
            <Location
              form={form}
              at={at}
              count={items.length}
              title={textAt(item, 'relevantText') || `Location ${at + 1}`}
            />
          ))}
        </ol>
      )}
      <AddButton list="locations" title="Add location" />
    </Group>
  );
}

function Location({ form, at, count, title }: { form: DesignerForm; at: number; count: number; title: string }) {
  const path = `locations.${at}`;
  return (
    <li class="item" data-uid={`location${at}`}>
      <div class="item-row">
        <Text form={form} name={`${path}.latitude`} label="Latitude" more={{ inputmode: 'decimal' }} />
        <Text form={form} name={`${path}.longitude`} label="Longitude" more={{ inputmode: 'decimal' }} />
        <ItemButtons list="locations" at={at} count={count} title={title} />
      </div>
      <Text form={form} name={`${path}.relevantText`} label="Text on the lock screen" />
      <details class="item-more">
        <summary class="fold">
          More<span class="visually-hidden"> about {title}</span>
        </summary>
        <div class="item-grid">
          <Text form={form} name={`${path}.maxDistance`} label="Distance" hint="In meters." />
          <Text form={form} name={`${path}.altitude`} label="Altitude" hint="In meters." />
          <Area
            form={form}
            name={`${path}.localizedRelevantText`}
            label="Translations of the text"
            hint="One per line: de: Willkommen"
          />
        </div>
      </details>
    </li>
  );
}
