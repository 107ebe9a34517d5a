// The socket to the server. Of pictures at most one is on its way, and the latest waits.

const PATIENCE = 250; // Milliseconds after which a newer state does not wait for an older one.

export class Wire {
  constructor(hooks) {
    this.hooks = hooks; // opened, lost, progress(ask, progress), refused(answer)
    this.next = 1;
    this.waiting = new Map();
    this.looking = null;
    this.latest = null;
    this.connect();
  }

  connect() {
    const address = new URL("socket", location.href);
    address.protocol = "ws:";
    address.hash = "";
    this.socket = new WebSocket(address);
    this.socket.onmessage = (event) => this.heard(JSON.parse(event.data));
    this.socket.onclose = () => {
      for (const { reject } of this.waiting.values()) reject(new Error("closed"));
      this.waiting.clear();
      this.looking = this.latest = null;
      this.hooks.lost();
      setTimeout(() => this.connect(), 1000);
    };
  }

  heard(answer) {
    if (answer.ask === "tab") {
      this.tab = answer.tab;
      this.hooks.opened();
      return;
    }
    if (answer.progress) {
      this.hooks.progress(answer.ask, answer.progress);
      return;
    }
    const asked = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    if (this.looking?.id === answer.id) {
      this.looking = null;
      if (this.latest) {
        const { body, resolve } = this.latest;
        this.latest = null;
        this.look(body).then(resolve);
      }
    }
    asked?.resolve(answer);
  }

  ask(ask, body = {}) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      if (this.socket.readyState !== WebSocket.OPEN) return reject(new Error("closed"));
      this.waiting.set(id, { resolve, reject });
      this.socket.send(JSON.stringify({ id, ask, ...body }));
      this.sent = id;
    });
  }

  // The answer for this state; null, if a newer one was asked for before this one was sent.
  look(body) {
    const late = this.looking && performance.now() - this.looking.since > PATIENCE;
    if (this.looking && !late) {
      this.latest?.resolve(null);
      return new Promise((resolve) => (this.latest = { body, resolve }));
    }
    const answer = this.ask("look", body).catch(() => null);
    this.looking = { id: this.sent, since: performance.now() };
    return answer;
  }
}
