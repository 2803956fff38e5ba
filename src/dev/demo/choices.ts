const DAY_MS = 86_400_000;
/** In how many days a concert begins. */
const CONCERT_DAYS = 30;

/** A template of the demo account as the front page offers it. */
export interface Choice {
  /** External ID that the template has since it was seeded. */
  templateName: string;
  label: string;
  /** The member of a pass that visitors change. */
  change: { member: string; label: string; inputMode: 'text' | 'numeric' };
  /** The fields of a new pass of somebody; `now` is UTC milliseconds. */
  fields(name: string, now: number): Record<string, unknown>;
}

export const CHOICES: Choice[] = [
  {
    templateName: 'demo-boarding-pass',
    label: 'Boarding pass',
    change: { member: 'originAirportGate', label: 'Gate', inputMode: 'text' },
    fields: flight,
  },
  {
    templateName: 'demo-event-ticket',
    label: 'Concert ticket',
    change: { member: 'seat', label: 'Seat', inputMode: 'numeric' },
    fields: (guestName, now) => {
      const day = dayText(now + CONCERT_DAYS * DAY_MS);
      return { guestName, doorsAt: `${day} 19:00`, startsAt: `${day} 20:00` };
    },
  },
  {
    templateName: 'demo-store-card',
    label: 'Loyalty card',
    change: { member: 'storedValue', label: 'Beans', inputMode: 'numeric' },
    fields: (name) => {
      const [firstName, ...others] = name.split(' ');
      return { firstName, lastName: others.join(' '), storedValue: 240 };
    },
  },
  {
    templateName: 'demo-generic',
    label: 'Museum card',
    change: { member: 'guestsPerVisit', label: 'Guests', inputMode: 'numeric' },
    fields: (fullName) => ({ fullName }),
  },
];

/** A flight of tomorrow morning. */
function flight(passengerName: string, now: number): Record<string, unknown> {
  const day = dayText(now + DAY_MS);
  return {
    passengerName,
    carrierCode: 'ZZ',
    flightNumber: 2184,
    confirmationCode: 'K7QX4M',
    originAirportCode: 'ZRH',
    originAirportTerminal: '2',
    originAirportGate: 'A72',
    destinationAirportCode: 'LIS',
    destinationAirportTerminal: '1',
    localBoardingDateTime: `${day}T09:40`,
    localScheduledDepartureTime: `${day}T10:25`,
    localScheduledArrivalDateTime: `${day}T12:20`,
    seatNumber: '14A',
    sequenceNumber: '0042',
    boardingGroup: '2',
  };
}

function dayText(millis: number): string {
  return new Date(millis).toISOString().slice(0, 10);
}
