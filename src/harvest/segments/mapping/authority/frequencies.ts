/** How often a dataset changes: durations and words, as codes of the EU frequency authority. */
import { squashed } from './spellings.ts'

const durations: Readonly<Record<string, string>> = {
  PT1S: 'UPDATE_CONT',
  PT1M: '1MIN',
  PT5M: '5MIN',
  PT10M: '10MIN',
  PT15M: '15MIN',
  PT30M: '30MIN',
  PT1H: 'HOURLY',
  PT2H: 'BIHOURLY',
  PT3H: 'TRIHOURLY',
  PT12H: 'DAILY_2',
  PT8H: 'DAILY_3',
  P1D: 'DAILY',
  PT24H: 'DAILY',
  P1W: 'WEEKLY',
  P7D: 'WEEKLY',
  'P3.5D': 'WEEKLY_2',
  'P0.5W': 'WEEKLY_2',
  'P0.33W': 'WEEKLY_3',
  P2W: 'BIWEEKLY',
  P14D: 'BIWEEKLY',
  P1M: 'MONTHLY',
  'P0.5M': 'MONTHLY_2',
  'P0.33M': 'MONTHLY_3',
  P2M: 'BIMONTHLY',
  P3M: 'QUARTERLY',
  P4M: 'ANNUAL_3',
  P6M: 'ANNUAL_2',
  'P0.5Y': 'ANNUAL_2',
  P1Y: 'ANNUAL',
  P12M: 'ANNUAL',
  P2Y: 'BIENNIAL',
  P3Y: 'TRIENNIAL',
  P4Y: 'QUADRENNIAL',
  P5Y: 'QUINQUENNIAL',
  P10Y: 'DECENNIAL',
  P20Y: 'BIDECENNIAL',
  P30Y: 'TRIDECENNIAL',
}

/** Words of English, German and French portals, of Dublin Core and of uData; squashed. */
const words = `
UPDATE_CONT: continuous continual realtime continuouslyupdated continuously kontinuierlich fortlaufend tempsreel
CONT: severaltimesaday fourtimesaday multipletimesperday
1MIN: oneminute everyminute
5MIN: fiveminutes everyfiveminutes
10MIN: tenminutes everytenminutes
15MIN: fifteenminutes everyfifteenminutes
30MIN: thirtyminutes everythirtyminutes everyhalfhour
HOURLY: hourly stündlich horaire everyhour
BIHOURLY: bihourly everytwohours
TRIHOURLY: trihourly everythreehours
12HRS: twelvehours everytwelvehours
DAILY: daily täglich quotidien quotidienne everyday giornaliera diaria diario
DAILY_2: twiceaday semidaily twicedaily
DAILY_3: threetimesaday
WEEKLY: weekly wöchentlich hebdomadaire everyweek settimanale semanal
WEEKLY_2: semiweekly twiceaweek
WEEKLY_3: threetimesaweek
WEEKLY_5: fivetimesaweek
BIWEEKLY: biweekly fortnightly fortnighly vierzehntägig everytwoweeks
MONTHLY: monthly monatlich mensuel mensuelle everymonth mensile mensual
MONTHLY_2: semimonthly twiceamonth
MONTHLY_3: threetimesamonth
BIMONTHLY: bimonthly everytwomonths zweimonatlich
QUARTERLY: quarterly vierteljährlich quartalsweise trimestriel trimestrielle trimestrale trimestral
ANNUAL_3: threetimesayear
ANNUAL_2: semiannual biannual semiannually biannually twiceayear halbjährlich semestriel semestrielle semestrale semestral
ANNUAL: annual annually yearly jährlich annuel annuelle annuale anual everyyear
BIENNIAL: biennial everytwoyears zweijährlich
TRIENNIAL: triennial everythreeyears
QUADRENNIAL: quadrennial everyfouryears
QUINQUENNIAL: quinquennial everyfiveyears
DECENNIAL: decennial everytenyears
IRREG: irregular unregelmäßig unregelmässig irregulär irrégulière
AS_NEEDED: asneeded punctual beibedarf onrequest ponctuelle
NEVER: never nie jamais
NOT_PLANNED: notplanned
UNKNOWN: unknown unbekannt inconnue inconnu
OTHER: other
`

const codes = new Map<string, string>()
for (const line of words.trim().split('\n')) {
  const [code = '', all = ''] = line.split(': ')
  for (const word of all.split(' ')) codes.set(word, code)
}

/** The code of a duration (`R/P1Y`, `P1M`) or of a word; `undefined` for everything else. */
export function frequencyCode(text: string): string | undefined {
  const duration = text
    .trim()
    .toUpperCase()
    .replace(/^R\d*\//, '')
  if (Object.hasOwn(durations, duration)) return durations[duration]
  const word = squashed(text.replace(/^.*[/#]/, ''))
  return codes.get(word)
}
