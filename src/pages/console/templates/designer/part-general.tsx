import { PASS_TYPES, TRANSIT_TYPES } from '../../../../domain/templates/definition.ts';
import { sectionPath } from '../../sections.ts';
import { Group, Part, Select, Text } from './controls.tsx';
import type { DesignerForm } from './designer-form.ts';
import { TYPE_TITLES } from './type-titles.ts';

const TRANSIT_TITLES: Record<(typeof TRANSIT_TYPES)[number], string> = {
  PKTransitTypeAir: 'Flight',
  PKTransitTypeBoat: 'Boat',
  PKTransitTypeBus: 'Bus',
  PKTransitTypeGeneric: 'Any other',
  PKTransitTypeTrain: 'Train',
};

const SCHEMES = {
  posterEventTicket: 'Poster event ticket (iOS 18)',
  semanticBoardingPass: 'Boarding pass of iOS 26',
};

/** What the template is called and what kind of pass it makes. */
export function GeneralPart({ form }: { form: DesignerForm }) {
  const { projects, passTypeIds, template } = form.opened;
  const projectsPath = sectionPath(template.accountId, 'templates', 'projects');
  const types = Object.fromEntries(PASS_TYPES.map((type) => [type, TYPE_TITLES[type]]));
  const transits = Object.fromEntries(TRANSIT_TYPES.map((type) => [type, TRANSIT_TITLES[type]]));
  const fixed =
    template.passCount > 0
      ? 'Wallets cannot turn a pass into another kind, so it stays as it is while there are passes.'
      : undefined;
  return (
    <Part name="general">
      <Group title="Names">
        <Text form={form} name="name" label="Name" hint="For you and your colleagues." />
        <Text
          form={form}
          name="organizationName"
          label="Organization"
          hint="Who issues the pass; wallets and mails show it."
        />
        <Text
          form={form}
          name="description"
          label="Description"
          hint="What the pass is, in a few words; screen readers say it, and the download page shows it."
        />
      </Group>
      <Group columns title="Kind of pass" text={fixed}>
        <Select form={form} name="type" label="Type" options={types} />
        <div class="for-boarding">
          <Select form={form} name="transitType" label="Means of transport" options={transits} none="Choose …" />
        </div>
        <Select
          form={form}
          name="preferredStyleScheme"
          label="Newer style"
          options={SCHEMES}
          none="None"
          hint="Shown where the phone knows it; the classic pass is always there too."
        />
      </Group>
      <Group columns title="Where it belongs">
        <Select
          form={form}
          name="projectId"
          label="Project"
          options={Object.fromEntries(projects.map(({ id, name }) => [id, name]))}
          none="None"
          hint={
            <>
              Passes move between templates of one project. <a href={projectsPath}>All projects</a>
            </>
          }
        />
        <Select
          form={form}
          name="passTypeId"
          label="Certificate (pass type)"
          options={Object.fromEntries(passTypeIds.map((id) => [id, id]))}
          none="The account’s own"
        />
        <Text
          form={form}
          name="userProvidedId"
          label="External ID"
          hint="Your own name for the template, unique in the account."
        />
      </Group>
    </Part>
  );
}
