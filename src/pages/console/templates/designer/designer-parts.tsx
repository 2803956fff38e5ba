import type { Child } from 'hono/jsx';
import { FormContext } from './controls.tsx';
import type { DesignerForm, PartName } from './designer-form.ts';
import { CodePart } from './part-code.tsx';
import { DeliveryPart } from './part-delivery.tsx';
import { FieldsPart } from './part-fields.tsx';
import { GeneralPart } from './part-general.tsx';
import { LanguagesPart } from './part-languages.tsx';
import { LookPart } from './part-look.tsx';
import { PropertiesPart } from './part-properties.tsx';
import { RulesPart } from './part-rules.tsx';
import { ValidityPart } from './part-validity.tsx';

const DRAWN: Record<PartName, () => Child> = {
  general: GeneralPart,
  look: LookPart,
  fields: FieldsPart,
  properties: PropertiesPart,
  code: CodePart,
  languages: LanguagesPart,
  validity: ValidityPart,
  delivery: DeliveryPart,
  rules: RulesPart,
};

/** A part of the designer with the form's values. */
export function DesignerPart({ name, form }: { name: PartName; form: DesignerForm }) {
  const Part = DRAWN[name];
  return (
    <FormContext.Provider value={form}>
      <Part />
    </FormContext.Provider>
  );
}
