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
        <Check form={form} name="expiration.expirationDateDifferentForEachPass" label="Each pass brings its own date" />
        <Check
          form={form}
          name="expiration.fallbackToTemplateExpirationDateIfEmpty"
          label="A pass without one takes the template’s"
        />
        <Check
          form={form}
          name="expiration.limitExpirationDateOfPassWithTemplate"
          label="No pass is good for longer than the template"
        />
      </Group>
      <Group title="Relevant moment" text="Around that time a phone shows the pass by itself.">
        <Moment form={form} name="relevantDate" label="Date and time" hint={`In ${timezone}.`} />
        <Check form={form} name="relevantDateDifferentForEachPass" label="Each pass brings its own" />
      </Group>
      <Locations form={form} />
      <Group
        title="Places of validation"
        text="Where passes may be validated. A pass names those that it is good for, an app configuration the one it stands at."
      >
        <Area form={form} name="validValidationPlaces" label="Places" hint="One a line." />
      </Group>
    </Part>
  );
}

function Locations({ form }: { form: DesignerForm }) {
  const items = itemsAt(form.tree, 'locations');
  return (
    <Group title="Locations" text="Near one of them a phone shows the pass by itself. Wallets know the first ten.">
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
      <AddButton list="locations" title="Add a location" />
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
            label="The text in other languages"
            hint="One a line: de: Willkommen"
          />
        </div>
      </details>
    </li>
  );
}
