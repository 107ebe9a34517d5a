// The socket to the server. Of pictures at most one is on its way, and the latest waits.

const PATIENCE = 250; // Milliseconds after which a newer state does not wait for an older one.

// The connection is gone, or was when something was asked.
export class Lost extends Error {}

export class Wire {
  constructor(hooks) {
    this.hooks = hooks; // opened, lost(why), progress(ask, progress)
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
      for (const { reject } of this.waiting.values()) reject(new Lost());
      this.latest?.resolve(null);
      this.waiting.clear();
      this.looking = this.latest = null;
      this.hooks.lost(this.refused);
      setTimeout(() => this.connect(), 1000);
    };
  }

  heard(answer) {
    if (answer.ask === "tab") {
      this.refused = answer.refused; // Why the server will close it at once, if it will.
      if (answer.refused) return;
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
      if (this.socket.readyState !== WebSocket.OPEN) return reject(new Lost());
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
    if (this.socket.readyState !== WebSocket.OPEN) return Promise.resolve(null);
    const answer = this.ask("look", body).catch(() => null);
    this.looking = { id: this.sent, since: performance.now() };
    return answer;
  }
}
