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

/** One part of the designer; `timezone` is the account's. */
export function designerPart(name: PartName, form: DesignerForm, timezone: string) {
  switch (name) {
    case 'general':
      return <GeneralPart form={form} />;
    case 'look':
      return <LookPart form={form} />;
    case 'fields':
      return <FieldsPart form={form} />;
    case 'properties':
      return <PropertiesPart form={form} />;
    case 'code':
      return <CodePart form={form} />;
    case 'languages':
      return <LanguagesPart form={form} />;
    case 'validity':
      return <ValidityPart form={form} timezone={timezone} />;
    case 'delivery':
      return <DeliveryPart form={form} />;
    case 'rules':
      return <RulesPart form={form} />;
  }
}
