/** The console's page: asks for the key, then sends lines and shows the answers as they come. */

const at = (id) => document.getElementById(id)
const [signIn, keyField, refusal] = [at('sign-in'), at('key'), at('refusal')]
const [screen, output, prompt, line] = [at('console'), at('output'), at('prompt'), at('line')]
const mostRows = 10_000

/** Kept in the memory of this page only. */
let key = ''
/** Aborts the command that runs. */
let running
/** Lines that were sent, and the one that is shown of them; after the last one comes what is being typed. */
const sent = []
let shown = 0
let draft = ''

signIn.addEventListener('submit', (event) => {
  event.preventDefault()
  void enter()
})

async function enter() {
  key = keyField.value.trim()
  refusal.textContent = ''
  const answer = await send('complete', '').catch(() => undefined)
  if (!answer?.ok) {
    key = ''
    refusal.textContent = answer ? await reason(answer) : 'The platform does not answer.'
    keyField.select()
    return
  }
  keyField.value = ''
  signIn.hidden = true
  screen.hidden = false
  write('help lists the commands; Tab completes, Ctrl-C ends an answer, exit leaves')
  line.focus()
}

/** Removes the key and what was shown. */
function leave(why = '') {
  key = ''
  interruptions += 1
  running?.abort()
  sent.length = 0
  line.value = ''
  output.replaceChildren()
  screen.hidden = true
  signIn.hidden = false
  refusal.textContent = why
  keyField.focus()
}

/** The next scrolling: once a frame, because it lays the page out. */
let scheduled

function write(text) {
  const row = document.createElement('div')
  row.textContent = text
  output.append(row)
  if (output.childElementCount > mostRows) output.firstChild.remove()
  scheduled ??= requestAnimationFrame(() => {
    scheduled = undefined
    scrollTo(0, document.body.scrollHeight)
  })
}

// Lines are executed one after the other, also those that were typed or pasted while an answer came.

let turn = Promise.resolve()
let interruptions = 0

prompt.addEventListener('submit', (event) => {
  event.preventDefault()
  submit(line.value)
  line.value = ''
})

function submit(text) {
  if (text.trim() !== '' && sent.at(-1) !== text) sent.push(text)
  if (sent.length > 200) sent.shift()
  shown = sent.length
  const since = interruptions
  turn = turn.then(() => since === interruptions && execute(text))
}

async function execute(text) {
  write(`> ${text}`)
  if (text.trim() === '') return
  const mine = new AbortController()
  running = mine
  try {
    const answer = await send('exec', text, mine.signal)
    if (answer.status === 401 || answer.status === 403) leave(await reason(answer))
    else if (answer.headers.get('Content-Type')?.startsWith('text/plain'))
      await show(answer.body.pipeThrough(new TextDecoderStream()).getReader(), mine.signal)
    else write(await reason(answer))
    if (text.trim() === 'exit') leave()
  } catch {
    if (key !== '') write(mine.signal.aborted ? '^C' : 'The connection broke off.')
  } finally {
    running = undefined
  }
}

const isBar = /^\[[#.-]{30}\]/

/** Writes line after line; a progress bar replaces the one before it. */
async function show(reader, signal) {
  let rest = ''
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const lines = (rest + next.value).split('\n')
    rest = lines.pop()
    for (const one of lines) {
      signal.throwIfAborted()
      const last = output.lastChild
      if (isBar.test(one) && isBar.test(last.textContent)) last.textContent = one
      else write(one)
    }
  }
  if (rest !== '') write(rest)
}

line.addEventListener('paste', (event) => {
  const [first, ...more] = event.clipboardData.getData('text').split(/\r\n?|\n/)
  if (more.length === 0) return
  event.preventDefault()
  line.setRangeText(first, line.selectionStart, line.selectionEnd, 'end')
  for (const next of more) {
    submit(line.value)
    line.value = next
  }
})

addEventListener('keydown', (event) => {
  if (screen.hidden) return
  const isControl = event.ctrlKey && !event.altKey && !event.metaKey
  const pressed = (isControl ? 'Control+' : '') + event.key
  if (
    pressed === 'Control+c' &&
    getSelection().isCollapsed &&
    line.selectionStart === line.selectionEnd
  )
    interrupt()
  else if (pressed === 'Control+d' && line.value === '') leave()
  else if (pressed === 'Control+l') output.replaceChildren()
  else if (pressed === 'Tab' && !event.shiftKey && line.value !== '') void complete()
  else if (pressed === 'ArrowUp') walk(-1)
  else if (pressed === 'ArrowDown') walk(1)
  else return
  event.preventDefault()
})

function interrupt() {
  interruptions += 1
  if (running) running.abort()
  else write(`> ${line.value}^C`)
  line.value = ''
}

/** Shows the line before or after the shown one. */
function walk(step) {
  const next = shown + step
  if (next < 0 || next > sent.length) return
  if (shown === sent.length) draft = line.value
  shown = next
  line.value = sent[shown] ?? draft
}

/** Replaces the word before the cursor by the longest common beginning of its candidates, or lists them. */
async function complete() {
  const before = line.value.slice(0, line.selectionStart)
  const answer = await send('complete', before).catch(() => undefined)
  if (!answer?.ok || !line.value.startsWith(before)) return
  const { from, candidates } = await answer.json()
  const [first = '', ...others] = candidates
  let { length } = first
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1
  const word = first.slice(0, length) + (candidates.length === 1 ? ' ' : '')
  if (from + word.length > before.length) line.setRangeText(word, from, before.length, 'end')
  else if (others.length > 0) write(candidates.join('  '))
}

const send = (path, body, signal) =>
  fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-API-Key': key },
    body,
    signal,
  })

async function reason(answer) {
  const problem = await answer.json().catch(() => ({}))
  return problem.detail ?? problem.title ?? `The platform answered ${answer.status}.`
}
