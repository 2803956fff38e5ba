import { imageBox } from '../../../../domain/images/image-boxes.ts';
import type { ImageRole } from '../../../../domain/images/stored-image.ts';
import { IMAGE_ROLES } from '../../../../domain/images/stored-image.ts';
import { PASS_TYPES } from '../../../../domain/templates/definition.ts';
import { Area, Check, Group, Part, Text, useForm } from './controls.tsx';
import { textAt } from './form-tree.ts';

const COLORS = {
  backgroundColor: 'Background',
  foregroundColor: 'Text',
  labelColor: 'Labels',
  voidedBackgroundColor: 'Background when voided',
  footerBackgroundColor: 'Footer of a poster ticket',
};

const ROLE_TITLES: Record<ImageRole, string> = {
  icon: 'Icon',
  logo: 'Logo',
  strip: 'Strip',
  background: 'Background',
  thumbnail: 'Thumbnail',
  footer: 'Footer',
  artwork: 'Artwork',
  primaryLogo: 'Primary logo',
  secondaryLogo: 'Secondary logo',
  venueMap: 'Venue map',
};

const ROLE_HINTS: Record<ImageRole, string> = {
  icon: 'Shown in e-mails and on lock screens.',
  logo: 'At the top left; round in Google Wallet.',
  strip: 'Behind the primary field of store cards, coupons and event tickets.',
  background: 'Behind event tickets, as a poster on newer phones.',
  thumbnail: 'Beside the fields of generic passes and event tickets.',
  footer: 'Above the barcode of boarding passes.',
  artwork: 'The poster of event tickets and generic passes on newer iPhones.',
  primaryLogo: 'On posters and newer boarding passes. Leave empty to use the logo.',
  secondaryLogo: 'In the footer of poster tickets.',
  venueMap: 'In the event guide of poster tickets.',
};

/** Returns the name of the file input for a role. */
const uploadName = (role: ImageRole) => `upload.${role}`;

/** Colors and images. */
export function LookPart() {
  return (
    <Part name="look">
      <Group
        columns
        title="Colors"
        text="Hexadecimal, for example #1d3557. Leave empty for the platform’s default. Text colors are adjusted to stay readable."
      >
        {Object.entries(COLORS).map(([name, title]) => (
          <Text
            name={`colors.${name}`}
            label={title}
            more={{ 'data-color': true, placeholder: '#', autocomplete: 'off', spellcheck: 'false', maxlength: 7 }}
          />
        ))}
      </Group>
      <Group title="Logo text">
        <Text name="logoText" label="Logo text" />
      </Group>
      <Group title="Images" text="PNG or JPEG of up to 5 MB. Use at least three times the size in points.">
        {IMAGE_ROLES.map((role) => (
          <ImageField role={role} />
        ))}
      </Group>
      <Group title="Images of each pass" text="Images that each pass can replace with its own.">
        <Check name="images.perPassImages.logo" label="Logo" />
        <Check name="images.perPassImages.thumbnail" label="Thumbnail" />
        <Check name="images.perPassImages.background" label="Background" />
      </Group>
      <Features name="apple" of="Apple" text="Posters, featured actions, semantic tags, links and more." />
      <Features name="google" of="Google" text="Layout, links, offers, Smart Tap, event details and more." />
    </Part>
  );
}

function Features({ name, of, text }: { name: string; of: string; text: string }) {
  return (
    <Group title={`Features of ${of} Wallet`} text={text}>
      <Area
        name={name}
        label={`${of} features`}
        rows={6}
        hint={`JSON with ${of}’s field names, as in the API. Texts support placeholders.`}
        more={{ spellcheck: 'false', autocomplete: 'off' }}
      />
    </Group>
  );
}

function ImageField({ role }: { role: ImageRole }) {
  const form = useForm();
  const name = `images.${role}`;
  const source = textAt(form.tree, name);
  const asked = textAt(form.tree, 'type');
  const { width, height } = imageBox(role, PASS_TYPES.find((type) => type === asked) ?? 'generic');
  const known = /\/images\/([0-9a-f]{64})$/.exec(source)?.[1];
  return (
    <div class="image-field">
      <div class={`image-frame ${role}`}>
        {known ? (
          <img src={`/images/${known}`} alt={`Current ${ROLE_TITLES[role].toLowerCase()}`} />
        ) : (
          <span>
            {width} × {height}
          </span>
        )}
      </div>
      <div class="image-controls">
        <Text
          name={name}
          label={ROLE_TITLES[role]}
          hint={`${ROLE_HINTS[role]} ${width} × ${height} points.`}
          more={{
            placeholder: 'https://…',
            inputmode: 'url',
            autocomplete: 'off',
            spellcheck: 'false',
            'data-image': role,
          }}
        />
        <div class="field upload">
          <label for={uploadName(role)}>
            <span class="visually-hidden">{ROLE_TITLES[role]}: </span>Upload file
          </label>
          <input
            id={uploadName(role)}
            name={uploadName(role)}
            type="file"
            accept="image/png,image/jpeg"
            data-upload={role}
          />
        </div>
      </div>
    </div>
  );
}
