/** A graph of several pieces whose every line carries a version, for the kill test of streams. */

export const streamedGraph = 'urn:test:streamed'
export const streamedLines = 12_000

export async function* streamed(version: number): AsyncGenerator<string> {
  for (let from = 0; from < streamedLines; from += 1000) {
    const name = (at: number) => String(from + at).padStart(9, '0')
    yield Array.from(
      { length: 1000 },
      (_, at) => `<urn:test:${name(at)}> <urn:test:p> "version ${version} ${'x'.repeat(80)}" .\n`,
    ).join('')
    await Promise.resolve()
  }
}

export const streamedFact = (version: number): string =>
  `<urn:test:fact:${version}> <urn:test:is> "landed" .`
