import { SelectField } from './fields.tsx';

/** A labeled list of all time zones, in a form's field `timezone`. */
export function TimeZoneField({ value, ...given }: { hint: string; value: string; error?: string }) {
  const names = timeZones();
  // Runtimes also know earlier names, such as Asia/Calcutta, and a rejected value is shown again.
  const options = [...names, ...(names.includes(value) ? [] : [value])];
  return (
    <SelectField
      name="timezone"
      label="Time zone"
      required
      options={options.map((name) => ({ value: name, title: name.replaceAll('_', ' ') }))}
      value={value}
      {...given}
    />
  );
}

/** Returns the names of all time zones of the runtime, UTC first. */
export function timeZones(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')];
}
