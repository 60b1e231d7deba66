/** Answers with status 200 that are errors all the same, or no answer to what was asked. */
import { Failure } from '../../../../errors.ts'
import { shownUrl } from '../../gathering/reading.ts'
import { fieldsOf, plainText } from '../../../../vocabularies/loose-values.ts'

const longestMessage = 500

/** Why a JSON value is not what was asked for: an error that says so, or something else altogether. */
export function envelopeFailure(value: unknown, url: string): Failure {
  const fields = fieldsOf(value)
  const said = ['message', 'error', 'error_message', 'error_code', 'errorcode', 'title']
    .map((name) => fields[name])
    .map((one) => plainText(one) ?? plainText(fieldsOf(one)['message']))
    .find((text) => text !== undefined)
  if (said === undefined)
    return new Failure(
      'source-malformed',
      `${shownUrl(url)} did not answer with a list of records.`,
    )
  const message = said.slice(0, longestMessage)
  return new Failure('source-error-envelope', `${shownUrl(url)} answered with an error: ${message}`)
}

/** A number of records as JSON tells it, perhaps in quotes. */
export function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}
