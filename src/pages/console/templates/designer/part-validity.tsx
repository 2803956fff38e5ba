import { timeZones } from '../../time-zones.tsx';
import { useViewer } from '../../viewer.ts';
import { Area, Check, Group, ItemButtons, ItemList, Moment, Part, Text, useForm, Whole } from './controls.tsx';
import { textAt } from './form-tree.ts';

/** Identifier of the list of suggestions. */
const TIME_ZONES = 'time-zones';

/** How long passes are valid, and when and where they are suggested. */
export function ValidityPart() {
  const form = useForm();
  const { timezone } = useViewer().account;
  const shown = textAt(form.tree, 'timezone') || timezone;
  return (
    <Part name="validity">
      <Group title="Time zone">
        <Text
          name="timezone"
          label="Time zone of dates"
          hint={`IANA name such as Europe/Berlin. Leave empty for ${timezone}.`}
          more={{ list: TIME_ZONES, autocomplete: 'off', spellcheck: 'false' }}
        />
        <datalist id={TIME_ZONES}>
          {timeZones().map((name) => (
            <option value={name} />
          ))}
        </datalist>
      </Group>
      <Group title="Expiry">
        <Moment name="expiration.expirationDate" label="Expires on" hint={`Time zone: ${shown}.`} />
        <Whole name="expiration.validityInDays" label="Days of validity" hint="From the creation of each pass." />
        <Check name="expiration.expirationDateDifferentForEachPass" label="Use a separate date for each pass" />
        <Check
          name="expiration.fallbackToTemplateExpirationDateIfEmpty"
          label="Passes without a date use the template’s date"
        />
        <Check
          name="expiration.limitExpirationDateOfPassWithTemplate"
          label="Passes expire no later than the template’s date"
        />
      </Group>
      <Group title="Relevant date" text="Phones suggest the pass around this time.">
        <Moment name="relevantDate" label="Date and time" hint={`Time zone: ${shown}.`} />
        <Check name="relevantDateDifferentForEachPass" label="Use a separate date for each pass" />
      </Group>
      <Locations />
      <Group
        title="Validation places"
        text="Places where scanners validate passes. Each pass lists its valid places, each app configuration its own place."
      >
        <Area name="validValidationPlaces" label="Places" hint="One per line." />
      </Group>
    </Part>
  );
}

function Locations() {
  return (
    <Group title="Locations" text="Phones suggest the pass near these locations. Wallets use the first ten.">
      <ItemList list="locations" add="Add location">
        {(item, at, count) => (
          <Location at={at} count={count} title={textAt(item, 'relevantText') || `Location ${at + 1}`} />
        )}
      </ItemList>
      <Check name="stopLocationsAfterUse" label="Remove locations after the first accepted scan" />
    </Group>
  );
}

function Location({ at, count, title }: { at: number; count: number; title: string }) {
  const path = `locations.${at}`;
  return (
    <li class="item" data-uid={`location${at}`}>
      <div class="item-row">
        <Text name={`${path}.latitude`} label="Latitude" more={{ inputmode: 'decimal' }} />
        <Text name={`${path}.longitude`} label="Longitude" more={{ inputmode: 'decimal' }} />
        <ItemButtons list="locations" at={at} count={count} title={title} />
      </div>
      <Text name={`${path}.relevantText`} label="Text on the lock screen" />
      <details class="item-more">
        <summary class="fold">
          More<span class="visually-hidden"> about {title}</span>
        </summary>
        <div class="item-grid">
          <Text name={`${path}.maxDistance`} label="Distance" hint="In meters." />
          <Text name={`${path}.altitude`} label="Altitude" hint="In meters." />
          <Area
            name={`${path}.localizedRelevantText`}
            label="Translations of the text"
            hint="One per line: de: Willkommen"
          />
        </div>
      </details>
    </li>
  );
}
