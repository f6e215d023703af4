//! Orchestration with a simulated clock.

use espalier_inline::*;

fn ask(path: &str, version: u64, cursor: usize) -> Ask {
    Ask { path: path.to_string(), version, cursor }
}

fn moved(by: MovedBy) -> CursorMove {
    let to = ask("a", 1, 7);
    CursorMove { to, by, is_active_editor: true, is_one_cursor: true, is_blank_line: true, is_line_end: false }
}

#[test]
fn moves_that_count() {
    let starts = |moved: &CursorMove| Schedule::new(250).move_cursor(moved, 0).is_some();
    let good = moved(MovedBy::Mouse);
    assert!(starts(&good) && starts(&moved(MovedBy::Command)) && !starts(&moved(MovedBy::Keyboard)));
    assert!(starts(&CursorMove { is_blank_line: false, is_line_end: true, ..good.clone() }));
    assert!(!starts(&CursorMove { is_blank_line: false, ..good.clone() }));
    assert!(!starts(&CursorMove { is_active_editor: false, ..good.clone() }));
    assert!(!starts(&CursorMove { is_one_cursor: false, ..good.clone() }));
    let mut schedule = Schedule::new(250);
    schedule.change("a", 1_000);
    schedule.change("b", 1_400);
    assert_eq!(schedule.move_cursor(&good, 1_499), None);
    assert!(schedule.move_cursor(&good, 1_500).is_some());
}

#[test]
fn moves_by_keyboard_wait() {
    let mut schedule = Schedule::new(250);
    schedule.move_cursor(&moved(MovedBy::Keyboard), 0);
    let next = CursorMove { to: ask("a", 1, 9), ..moved(MovedBy::Keyboard) };
    schedule.move_cursor(&next, 200);
    assert_eq!((schedule.tick(449), schedule.next_ms()), (None, Some(450)));
    assert_eq!(schedule.tick(450).map(|started| started.ask.cursor), Some(9));
    assert_eq!((schedule.tick(9_999), schedule.next_ms()), (None, None));
    schedule.move_cursor(&next, 10_000);
    schedule.change("a", 10_001);
    assert_eq!(schedule.tick(20_000), None);
}

#[test]
fn one_runs_and_the_newest_waits() {
    let mut schedule = Schedule::new(0);
    let first = schedule.request(ask("a", 1, 1)).unwrap();
    assert_eq!(schedule.request(ask("a", 1, 1)), None);
    assert_eq!(schedule.request(ask("a", 2, 2)), None);
    assert_eq!(schedule.request(ask("a", 3, 3)), None);
    assert_eq!(schedule.finish(first.number + 5, Some(&ask("a", 3, 3))), None);
    assert!(schedule.is_running(first.number));
    let third = schedule.finish(first.number, Some(&ask("a", 3, 3))).unwrap();
    assert_eq!((third.ask.version, schedule.is_running(first.number)), (3, false));
    assert_eq!(schedule.finish(first.number, Some(&ask("a", 3, 3))), None);
    // The waiting request no longer matches.
    schedule.request(ask("a", 4, 4));
    assert_eq!(schedule.finish(third.number, Some(&ask("a", 4, 5))), None);
    assert!(schedule.request(ask("b", 1, 1)).is_some());
    schedule.request(ask("a", 4, 4));
    assert_eq!(schedule.finish(third.number + 1, None), None);
}

#[test]
fn races() {
    let mut schedule = Schedule::new(0);
    assert_eq!(schedule.wait_ms("a", 500), 0);
    assert!(schedule.hands_out("a", true, Moment::Start));
    let started = schedule.request(ask("a", 1, 1)).unwrap();
    assert_eq!([500, 20, 7].map(|budget| schedule.wait_ms("a", budget)), [20, 20, 7]);
    assert_eq!(schedule.wait_ms("b", 500), 0);
    assert!(schedule.hands_out("a", false, Moment::Start) && !schedule.hands_out("a", true, Moment::Start));
    assert!(schedule.hands_out("a", true, Moment::TimedOut) && !schedule.hands_out("a", false, Moment::TimedOut));
    assert!(schedule.hands_out("a", true, Moment::Raced) && schedule.hands_out("b", true, Moment::Start));
    schedule.finish(started.number, None);
    assert_eq!(schedule.wait_ms("a", 500), 0);
}

#[test]
fn many_documents_stay_bounded() {
    let mut schedule = Schedule::new(0);
    (0..100_000).for_each(|document| schedule.change(&document.to_string(), document));
    assert!(format!("{schedule:?}").len() < 100_000);
}

#[test]
fn related_files() {
    let mut related = RelatedFiles::default();
    assert_eq!(related.look_up("a", 0), Related::Ask { until_ms: 200 });
    assert_eq!(related.look_up("a", 199), Related::Without);
    related.answer("a", vec!["b".to_string()], 300);
    assert_eq!(related.look_up("a", 120_299), Related::Known(vec!["b".to_string()]));
    assert_eq!(related.look_up("a", 120_300), Related::Ask { until_ms: 120_500 });
    // A failure, then two questions without an answer.
    related.fail("a");
    assert_eq!(related.look_up("a", 120_301), Related::Ask { until_ms: 120_501 });
    assert_eq!(related.look_up("a", 120_501), Related::Ask { until_ms: 120_701 });
    assert_eq!(related.look_up("a", 120_701), Related::Without);
    related.answer("unknown", Vec::new(), 0);
    for document in 0..3_000 {
        assert_ne!(related.look_up(&format!("d{document}"), 0), Related::Without);
    }
    assert_eq!(related.look_up("d1999", 1), Related::Ask { until_ms: 201 });
    assert_eq!(related.look_up("d2999", 1), Related::Without);
}

#[test]
fn answers_stay_known_after_their_time() {
    let mut related = RelatedFiles::default();
    related.look_up("a", 0);
    related.answer("a", vec!["late".to_string()], 5_000);
    assert_eq!(related.look_up("a", 5_001), Related::Known(vec!["late".to_string()]));
}
