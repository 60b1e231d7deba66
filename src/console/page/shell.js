/** The console's page: asks for the key, then sends lines and shows the answers as they come. */

import { Terminal } from './xterm.mjs'
import { editor } from './line.js'

const door = document.querySelector('#door')
const keyField = document.querySelector('#key')
const refusal = document.querySelector('#refusal')
const place = document.querySelector('#terminal')
const prompt = '> '

/** The terminal makes style elements as it draws: the page's policy takes those that carry its number. */
const { nonce } = document.querySelector('link[nonce]')
const create = document.createElement.bind(document)
document.createElement = (name, options) => {
  const element = create(name, options)
  if (element instanceof HTMLStyleElement) element.nonce = nonce
  return element
}

/** Kept in this page's memory only. */
let key = ''
let running
const line = editor()
const terminal = new Terminal({
  cursorBlink: true,
  fontSize: 14,
  scrollback: 10_000,
  convertEol: true,
})

door.addEventListener('submit', (event) => {
  event.preventDefault()
  void knocked()
})

async function knocked() {
  key = keyField.value.trim()
  refusal.textContent = ''
  const answer = await send('complete', '').catch(() => undefined)
  if (answer?.ok) {
    enter()
    return
  }
  key = ''
  refusal.textContent = answer ? await reason(answer) : 'The platform does not answer.'
  keyField.select()
}

function enter() {
  keyField.value = ''
  door.hidden = true
  place.hidden = false
  if (!terminal.element) open()
  terminal.reset()
  terminal.writeln('help lists the commands; Tab completes, Ctrl-C ends an answer, exit leaves')
  terminal.write(prompt)
  terminal.focus()
}

function open() {
  terminal.open(place)
  fit()
  addEventListener('resize', fit)
  terminal.onData(typed)
}

/** As many columns and rows as there is room for. */
function fit() {
  const screen = place.querySelector('.xterm-screen')
  const { width, height } = screen.getBoundingClientRect()
  const [cell, row] = [width / terminal.cols, height / terminal.rows]
  if (!(cell > 0 && row > 0)) return
  const columns = Math.floor((place.clientWidth - 32) / cell)
  const rows = Math.floor((place.clientHeight - 16) / row)
  terminal.resize(Math.max(20, columns), Math.max(5, rows))
}

/** Everything typed is taken in its turn, also what is typed while an answer comes; a paste is several lines. */
let turn = Promise.resolve()
let interruptions = 0

function typed(text) {
  if (text === '\u0003') {
    interrupted()
    return
  }
  const since = interruptions
  turn = taken(text, turn, () => since !== interruptions)
}

async function taken(text, before, isOver) {
  await before
  const [first, ...more] = text.split(/\r\n?|\n/)
  if (!isOver() && first !== '') await pressed(first)
  for (const next of more) {
    if (isOver()) return
    await entered()
    if (next !== '') await pressed(next)
  }
}

async function pressed(text) {
  if (key === '') return
  if (text === '\u0004') {
    if (line.text() === '') leave()
    return
  }
  if (text === '\u000c') terminal.clear()
  else if (text === '\t') await completed()
  else line.take(text)
  draw()
}

let rowsAbove = 0

/** Draws prompt and line again; they may take several rows. */
function draw() {
  const [before, behind] = line.parts()
  const up = rowsAbove > 0 ? `\u001b[${rowsAbove}A` : ''
  terminal.write(`${up}\r\u001b[J${prompt}${before}${behind}`)
  if (behind !== '') terminal.write(`\u001b[${behind.length}D`)
  rowsAbove = Math.floor((prompt.length + before.length) / terminal.cols)
}

function interrupted() {
  interruptions++
  if (running) running.abort()
  else {
    line.drop()
    terminal.write(`^C\r\n${prompt}`)
    rowsAbove = 0
  }
}

async function completed() {
  const [before] = line.parts()
  const answer = await send('complete', before).catch(() => undefined)
  if (!answer?.ok) return
  const completion = await answer.json()
  if (!line.complete(completion) && completion.candidates.length > 1)
    terminal.write(`\r\n${completion.candidates.join('  ')}\r\n`)
}

async function entered() {
  const text = line.done()
  rowsAbove = 0
  terminal.write('\r\n')
  if (text.trim() !== '') await executed(text)
  if (text.trim() === 'exit') leave()
  else if (key !== '') terminal.write(prompt)
}

async function executed(text) {
  const mine = new AbortController()
  running = mine
  try {
    const answer = await send('exec', text, mine.signal)
    if (answer.status === 401 || answer.status === 403) leave(await reason(answer))
    else if (answer.headers.get('Content-Type')?.startsWith('text/plain'))
      await show(answer.body.pipeThrough(new TextDecoderStream()).getReader(), mine.signal)
    else terminal.writeln(await reason(answer))
  } catch {
    terminal.writeln(mine.signal.aborted ? '^C' : 'The connection broke off.')
  } finally {
    running = undefined
  }
}

const isBar = /^\[[#.-]{30}\]/

/** Writes line after line; a progress bar takes the place of the one before it. */
async function show(reader, signal) {
  let rest = ''
  let wasBar = false
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const lines = (rest + next.value).split('\n')
    rest = lines.pop()
    for (const one of lines) {
      signal.throwIfAborted()
      if (wasBar && isBar.test(one)) terminal.write('\u001b[A\r\u001b[J')
      wasBar = isBar.test(one) && one.length < terminal.cols
      await new Promise((resolve) => terminal.writeln(one, resolve))
    }
  }
  if (rest !== '') terminal.writeln(rest)
}

/** Forgets the key and what was shown. */
function leave(why = '') {
  key = ''
  line.drop()
  terminal.reset()
  place.hidden = true
  door.hidden = false
  refusal.textContent = why
  keyField.focus()
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
