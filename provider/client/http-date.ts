const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;
const LONG_DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

const month = `(?<month>${MONTHS.join("|")})`;
const time = "(?<time>\\d\\d:\\d\\d:\\d\\d)";
/** IMF-fixdate, which senders must use, and the two obsolete forms, which recipients must still understand. */
const FORMS = [
  new RegExp(`^(?<weekday>${DAYS.join("|")}), (?<day>\\d\\d) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(`^(?<weekday>${LONG_DAYS.join("|")}), (?<day>\\d\\d)-${month}-(?<year>\\d\\d) ${time} GMT$`),
  new RegExp(`^(?<weekday>${DAYS.join("|")}) ${month} (?<day>[ \\d]\\d) ${time} (?<year>\\d{4})$`),
];

/**
 * The moment that an HTTP date names (RFC 9110, section 5.6.7), in milliseconds since 1970; `undefined` for any other
 * text, among them dates that do not exist and dates on another day of the week.
 *
 * @param now Milliseconds since 1970: a year of two digits is one that is at most 50 years ahead.
 */
export function parseHttpDate(text: string, now: number): number | undefined {
  const found = FORMS.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (!found) return undefined;
  const { weekday = "", day = "", month = "", year = "", time = "" } = found;
  const [hour = 0, minute = 0, second = 0] = time.split(":").map(Number);
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const full = year.length === 4 ? Number(year) : fullYear(Number(year), new Date(now).getUTCFullYear());
  const date = new Date(Date.UTC(full, MONTHS.indexOf(month as (typeof MONTHS)[number]), Number(day)));
  const exists = date.getUTCDate() === Number(day) && DAYS[date.getUTCDay()] === weekday.slice(0, 3);
  return exists ? date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 : undefined;
}

function fullYear(twoDigits: number, thisYear: number): number {
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
