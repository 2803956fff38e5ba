import * as z from 'zod';
import { parseDateTime } from '../../../platform/dates.ts';
import { AnyText, FLIGHT_TIME_HINT, PassName } from '../../fields.ts';

const code = (pattern: RegExp, message: string) =>
  AnyText.pipe(z.string().trim().toUpperCase().regex(pattern, message));
const Airport = code(/^[A-Z]{3}$/, 'must be an IATA airport code of 3 letters, such as VIE');
const Carrier = code(/^[A-Z0-9]{2}$/, 'must be an IATA airline code of 2 letters or digits, such as OS');
const FlightNumber = z
  .union([z.number(), z.string().regex(/^\d{1,4}$/, 'must be an integer')], {
    error: ({ input }) => (input === undefined ? 'is required' : 'must be an integer'),
  })
  .transform(Number)
  .pipe(z.number().int().min(0).max(9_999));

const exists = (text: string) => text === '' || parseDateTime(text, 'UTC') !== undefined;
const localTime = (pattern: RegExp) =>
  AnyText.pipe(
    z
      .string()
      .regex(pattern, { error: FLIGHT_TIME_HINT, abort: true })
      .refine(exists, `is a date that does not exist; it ${FLIGHT_TIME_HINT}`),
  );

const toMinute = (text: string) => text.slice(0, 16).replace(' ', 'T');

/** Local time `Y-m-dTH:i`, because only the airport knows its zone. Seconds are dropped. */
const LocalTime = localTime(/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?$/).transform(toMinute);
/** Time that a flight may lack; an empty text means none. */
const OptionalTime = localTime(/^$|^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?$/)
  .transform((text) => toMinute(text) || null)
  .nullish();
const Required = PassName.pipe(z.string().min(1, 'must not be empty'));

/** Fields of a flight. */
export const FlightFields = z.object({
  originAirportCode: Airport,
  destinationAirportCode: Airport,
  localScheduledDepartureTime: LocalTime,
  localBoardingDateTime: LocalTime,
  passengerName: Required,
  carrierCode: Carrier,
  confirmationCode: Required,
  flightNumber: FlightNumber,
  originAirportGate: PassName.nullish(),
  originAirportTerminal: PassName.nullish(),
  destinationAirportGate: PassName.nullish(),
  destinationAirportTerminal: PassName.nullish(),
  localEstimatedOrActualDepartureDateTime: OptionalTime,
  localScheduledArrivalDateTime: OptionalTime,
  localEstimatedOrActualArrivalDateTime: OptionalTime,
  seatClass: PassName.nullish(),
  seatNumber: PassName.nullish(),
  sequenceNumber: PassName.nullish(),
  boardingGroup: PassName.nullish(),
  boardingPosition: PassName.nullish(),
});
export type FlightFields = z.infer<typeof FlightFields>;

export const FLIGHT_FIELD_NAMES = Object.keys(FlightFields.shape) as (keyof FlightFields)[];
