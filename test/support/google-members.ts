import type { TemplateInput } from './samples.ts';

/** Returns every member of `google` with a value that Google accepts; a pass fills in `{Seat}` and the like. */
export function everyGoogleMember(): NonNullable<TemplateInput['google']> {
  const image = (name: string) => `https://images.example/${name}.png`;
  const item = (fieldPath: string) => ({ firstValue: { fields: [{ fieldPath }] } });
  return {
    classTemplateInfo: {
      cardBarcodeSectionDetails: {
        firstTopDetail: { fieldSelector: { fields: [{ fieldPath: "object.textModulesData['hours']" }] } },
      },
      cardTemplateOverride: {
        cardRowTemplateInfos: [
          {
            twoItems: {
              startItem: item('object.seatInfo.seat'),
              endItem: {
                firstValue: { fields: [{ fieldPath: 'class.dateTime.start', dateFormat: 'DATE_TIME_YEAR' }] },
              },
            },
          },
        ],
      },
      detailsTemplateOverride: { detailsItemInfos: [{ item: item("object.textModulesData['hours']") }] },
      listTemplateOverride: { secondRowOption: { fields: [{ fieldPath: 'object.textModulesData' }] } },
    },
    linksModuleData: { uris: [{ id: 'map', uri: 'geo:52.52,13.40', description: 'Way' }] },
    textModulesData: [
      { id: 'hours', header: 'Hours', body: 'From {userProvidedId}' },
      { header: 'Rules', body: 'No dogs' },
    ],
    imageModulesData: [{ id: 'poster', mainImage: image('poster') }],
    valueAddedModuleData: [
      {
        header: 'Parking',
        body: 'Book a place',
        image: image('parking'),
        uri: 'https://parking.example/?for={userProvidedId}',
        sortIndex: 1,
        viewConstraints: {
          displayInterval: { start: { date: '2026-12-24 09:10' }, end: { date: '2026-12-31T23:59:00+01:00' } },
        },
      },
    ],
    linkedObjectIds: ['3388000000022334455.voucher-{userProvidedId}'],
    notifyPreference: 'NOTIFY_ON_UPDATE',
    passConstraints: { screenshotEligibility: 'INELIGIBLE', nfcConstraint: ['BLOCK_PAYMENT'] },
    saveRestrictions: { restrictToEmailSha256: '{emailRecipient}' },
    securityAnimation: { animationType: 'FOIL_SHIMMER' },
    viewUnlockRequirement: 'UNLOCK_REQUIRED_TO_VIEW',
    appLinkData: {
      androidAppLinkInfo: { appTarget: { packageName: 'com.example.app' } },
      webAppLinkInfo: { appTarget: { targetUri: { uri: 'https://app.example/', description: 'Open the app' } } },
      displayText: 'Open',
    },
    enableSmartTap: true,
    redemptionIssuers: ['3388000000022334455'],
    smartTapRedemptionValue: 'TAP-{userProvidedId}',
    wideLogo: image('wide-logo'),
    genericType: 'GENERIC_SEASON_PASS',
    notifications: { upcomingNotification: { enableNotification: true } },
    merchantLocations: [{ latitude: 52.52, longitude: 13.4 }],
    venue: { name: 'Great Hall', address: 'Main Street 1\nBerlin' },
    seatInfo: { seat: '{userProvidedId}', row: 'B', section: '', gate: 'West' },
    dateTime: {
      doorsOpen: '2026-12-31 18:00',
      start: '2026-12-31T20:00:00+01:00',
      end: '2027-01-01 02:00',
      customDoorsOpenLabel: 'Admission',
    },
  };
}
