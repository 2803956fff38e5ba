import { NAME_CHARS_MAX } from '../../../domain/limits.ts';
import type { TemplateFacts } from '../../../domain/templates/list-defined-templates.ts';
import { clientFile } from '../../../platform/client-files.ts';
import { scannerColors } from '../../scanner/scanner-view.ts';
import { AccountLayout, type Crumb } from '../console-layout.tsx';
import { Checkbox, Checkboxes, namedOptions, Options, optionsOf, SelectField, TextField } from '../fields.tsx';
import { EntryForm, Panel } from '../parts.tsx';
import { SWITCHES, type TypedConfiguration, type TypedProperty } from './form-values.ts';

/** Number of empty rows for more properties. */
const SPARE_ROWS = 2;

const SCAN_MODES = optionsOf({ 0: 'Voids the pass (single entry)', 1: 'Records attendance (repeated entry)' });
const TYPES = optionsOf({ 0: 'App', 1: 'URL' });
const PROPERTY_TYPES = optionsOf({ unicode: 'Text', double: 'Number', boolean: 'Yes or no' });

export interface ConfigurationFormProps {
  title: string;
  trail?: Crumb[];
  action: string;
  back: string;
  button: string;
  typed: TypedConfiguration;
  templates: TemplateFacts[];
  /** Places that templates use. */
  places: string[];
}

/** The form for a new or existing configuration. */
export function ConfigurationFormPage(props: ConfigurationFormProps) {
  const { title, trail, action, back, button, typed, templates, places } = props;
  const script = clientFile('console/scanner-preview.ts').path;
  return (
    <AccountLayout title={title} section="app-configurations" trail={trail} scripts={[script]}>
      <EntryForm action={action} look="form-panels" button={button} back={back}>
        <WhatIsValidated typed={typed} templates={templates} places={places} />
        <Panel id="asked" title="Additional questions">
          <p class="hint">The scanner asks these questions after each scan. A row without a name is ignored.</p>
          {rowsOf(typed.properties).map((property, i) => (
            <PropertyRow property={property} number={i + 1} />
          ))}
          <p>
            <button class="button small quiet" type="submit" name="moreRows" value="1" formnovalidate>
              Add more rows
            </button>
          </p>
          <Checkboxes name="switches" legend="Stored value" options={[...SWITCHES]} values={typed.switches} />
        </Panel>
        <Looks typed={typed} />
      </EntryForm>
    </AccountLayout>
  );
}

type PartProps = Pick<ConfigurationFormProps, 'typed' | 'templates' | 'places'>;

function WhatIsValidated({ typed, templates, places }: PartProps) {
  return (
    <Panel id="validated" title="Passes">
      <TextField
        name="name"
        label="Name"
        hint="Shown in the scanner."
        value={typed.name}
        required
        more={{ maxlength: NAME_CHARS_MAX, autocomplete: 'off' }}
      />
      <TextField
        name="place"
        label="Place"
        hint="The location of the scanner. Passes with validation places are accepted only at these places."
        value={typed.place}
        required={false}
        more={{ maxlength: NAME_CHARS_MAX, list: 'places', autocomplete: 'off' }}
      />
      <datalist id="places">
        {places.map((place) => (
          <option value={place} />
        ))}
      </datalist>
      <SelectField name="scanMode" label="Effect of a scan" options={SCAN_MODES} value={typed.scanMode} />
      <SelectField name="type" label="App type" options={TYPES} value={typed.type} />
      {templates.length > 0 && (
        <div class="scroll-box">
          <Checkboxes
            name="templates"
            legend="Templates"
            hint="Select none to accept passes of all templates."
            options={namedOptions(templates)}
            values={typed.templates}
          />
        </div>
      )}
    </Panel>
  );
}

function Looks({ typed }: Pick<PartProps, 'typed'>) {
  const { ownColors, backgroundColor, textColor } = typed;
  return (
    <Panel id="looks" title="Scanner design">
      <div class="looks">
        <div class="stack">
          <Checkbox name="ownColors" label="Use custom colors" checked={ownColors} />
          <TextField name="backgroundColor" label="Background" type="color" value={backgroundColor} />
          <TextField
            name="textColor"
            label="Text"
            type="color"
            hint="Adjusted automatically to stay readable."
            value={textColor}
          />
          <TextField
            name="timeToShowAutoSaveConfirmation"
            label="Result display time in seconds"
            type="number"
            hint="Enter 0 to show the result until someone taps it."
            value={typed.confirmationSeconds}
            more={{ min: 0, max: 60 }}
          />
        </div>
        <ScannerPreview
          name={typed.name}
          place={typed.place}
          backgroundColor={ownColors ? backgroundColor : null}
          textColor={ownColors ? textColor : null}
        />
      </div>
    </Panel>
  );
}

function rowsOf(properties: TypedProperty[]): TypedProperty[] {
  const spare = Array.from({ length: SPARE_ROWS }, () => ({ id: '', name: '', type: 'unicode' }));
  return [...properties, ...spare];
}

function PropertyRow({ property, number }: { property: TypedProperty; number: number }) {
  return (
    <div class="property-row">
      <input type="hidden" name="propertyId" value={property.id} />
      <TextField
        name="propertyName"
        id={`property-${number}`}
        label={`Question ${number}`}
        value={property.name}
        more={{ maxlength: NAME_CHARS_MAX, autocomplete: 'off' }}
      />
      <div class="field">
        <label for={`property-type-${number}`}>
          Answer<span class="visually-hidden"> to question {number}</span>
        </label>
        <select id={`property-type-${number}`} name="propertyType">
          <Options options={PROPERTY_TYPES} value={property.type} />
        </select>
      </div>
    </div>
  );
}

interface ScannerPreviewProps {
  name: string;
  place: string;
  backgroundColor: string | null;
  textColor: string | null;
}

/** A preview of the scanner in these colors. The form's script updates it by its classes. */
export function ScannerPreview({ name, place, backgroundColor, textColor }: ScannerPreviewProps) {
  const { background, text } = scannerColors({ backgroundColor, textColor });
  return (
    <svg class="scanner-preview" viewBox="0 0 220 400" role="img" aria-label="The scanner app in these colors">
      <rect class="scanner-background" x="1" y="1" width="218" height="398" rx="26" fill={background} />
      <rect class="scanner-edge" x="1" y="1" width="218" height="398" rx="26" />
      <g class="scanner-text" fill={text} stroke={text}>
        <text class="scanner-title" x="20" y="46" stroke="none">
          {shortened(name || 'Main entrance')}
        </text>
        <text class="scanner-place" x="20" y="66" stroke="none">
          {shortened(place || ' ')}
        </text>
        <path d="M60 150v-22h22M138 128h22v22M160 212v22h-22M82 234H60v-22" fill="none" stroke-width="5" />
        <path
          d="M78 146h18v18H78zM124 146h18v18h-18zM78 198h18v18H78zM110 178h14v14h-14zM128 202h14v14h-14z"
          stroke="none"
        />
        <rect class="scanner-outline" x="20" y="336" width="180" height="40" rx="20" fill="none" stroke-width="1.5" />
        <text class="scanner-place" x="110" y="361" text-anchor="middle" stroke="none">
          Start scanning
        </text>
      </g>
    </svg>
  );
}

const CHARS_MAX = 20;

const shortened = (text: string): string => (text.length > CHARS_MAX ? `${text.slice(0, CHARS_MAX - 1)}…` : text);
